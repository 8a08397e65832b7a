// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/outlets.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "flow/outlets/flow_share.hpp"
#include "flow/outlets/windkessel.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

using nlohmann::json;
using OutletRule = OpeningCase::Rule;

// What entered through one opening in the step before.
struct Inflow {
  using Value = TickSum;
  Value local() {
    if (!restored) return TickSum::of(inflow_ticks(lattice.lattice(), opening));
    const auto of_all_ranks = *restored;
    restored.reset();
    return rank == 0 ? of_all_ranks : TickSum{};
  }
  static Value combine(const Value& a, const Value& b) { return a + b; }
  void use(const Value& all, std::int64_t) { sum = all; }

  const LatticeClient& lattice;
  std::size_t opening;
  int rank;
  TickSum sum{};
  std::optional<TickSum> restored{};
};

struct Outlet {
  std::size_t opening;
  std::optional<Windkessel> windkessel{};
  std::optional<FlowShare> share{};
  Windkessel::State pressures{};
  double value = 0;  // what the opening has: Pa, or m/s into the vessel
};

// Where a flow broke, numbers are none, and a text has no other word for them.
double number_of(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace

struct Outlets::All {
  All(Transport& t, LatticeClient& client, const Case& the_case, const Vessel& vessel)
      : transport(t), lattice(client), c(the_case), scaling(vessel.scaling), monitors(t) {
    const auto& extent = vessel.domain.grid.extent;
    const double crossing = std::sqrt(3.0) * *std::max_element(extent.begin(), extent.end()) * scaling.dt;
    for (std::size_t k = 0; k < c.openings.size(); ++k) {
      const auto& opening = c.openings[k];
      inflows.push_back({client, k, t.rank()});
      if (opening.is(OutletRule::windkessel)) {
        const auto least = least_capacitance(opening.windkessel, scaling, opening.area());
        auto& outlet = outlets.emplace_back(Outlet{k, Windkessel(opening.windkessel, least, scaling.dt)});
        outlet.pressures = outlet.windkessel->start();
        outlet.value = outlet.pressures.distal;
      }
      if (opening.is(OutletRule::share))
        outlets.push_back({.opening = k, .share = FlowShare(opening.area(), scaling.dt, 4 * crossing)});
    }
    for (auto& inflow : inflows) monitors.add(inflow);
    end.all = this;
    monitors.add(end);
  }

  // Comes last: all flows are known. What they do is put in place when the next step begins: where clients don't share an
  // exchange, the lattice's part of this step is still to come.
  struct End {
    using Value = std::int64_t;
    Value local() const {
      all->put();
      return 0;
    }
    static Value combine(const Value& a, const Value&) { return a; }
    void use(const Value&, std::int64_t step) const {
      if (step > 0) all->answer(step);  // there is no step before the first
    }
    All* all = nullptr;
  };

  double flow_of(const TickSum& sum) const { return scaling.flow(sum.value() * 0x1p-48); }  // m^3/s

  // Known: the flows of the step before `step`. What they do holds in the step after it, and so at the end of that.
  void answer(std::int64_t step) {
    TickSum entered;
    for (const auto& inflow : inflows)
      if (c.openings[inflow.opening].disc.kind == geometry::Opening::Kind::inlet)
        entered = entered + inflow.sum;
    const auto& controls = lattice.controls();
    for (auto& outlet : outlets) {
      const double given = controls.opening(outlet.opening, step + 1), out = -flow_of(inflows[outlet.opening].sum);
      if (outlet.windkessel) {
        // The volume of fluid of the reference density, as velocities prescribe it: what they bring in has to leave.
        outlet.pressures = outlet.windkessel->after(outlet.pressures, out, controls.opening(outlet.opening, step - 1));
        outlet.value = outlet.windkessel->pressure(outlet.pressures, out, given);
      } else {
        outlet.value = -outlet.share->after(-outlet.value, given, flow_of(entered), out);
      }
    }
  }
  void put() const {
    for (const auto& outlet : outlets) lattice.controls().follow(outlet.opening, outlet.value);
  }

  json state() {
    std::vector<TickSum> mine, sums(inflows.size());
    for (const auto& inflow : inflows) mine.push_back(TickSum::of(inflow_ticks(lattice.lattice(), inflow.opening)));
    const auto every = all_gather(transport, mine);  // one rank after the other
    for (std::size_t i = 0; i < every.size(); ++i) sums[i % sums.size()] = sums[i % sums.size()] + every[i];
    json result = json::object();
    for (const auto& sum : sums) result["inflows"].push_back({sum.high, sum.low});
    for (const auto& outlet : outlets)
      result["outlets"].push_back({outlet.pressures.distal, outlet.pressures.proximal, outlet.value});
    return result;
  }
  void restore(const json& state) {
    for (std::size_t k = 0; k < inflows.size(); ++k) {
      const auto& halves = state.at("inflows").at(k);
      inflows[k].restored = TickSum{halves.at(0).get<std::int64_t>(), halves.at(1).get<std::int64_t>()};
    }
    for (std::size_t k = 0; k < outlets.size(); ++k) {
      const auto& numbers = state.at("outlets").at(k);
      outlets[k].pressures = {number_of(numbers.at(0)), number_of(numbers.at(1))};
      outlets[k].value = number_of(numbers.at(2));
    }
    put();
  }

  Transport& transport;
  LatticeClient& lattice;
  const Case& c;
  const Scaling& scaling;
  std::deque<Inflow> inflows;  // of all openings
  std::vector<Outlet> outlets;
  End end;
  Monitors monitors;
};

Outlets::Outlets(Transport& transport, LatticeClient& lattice, const Case& c, const Vessel& vessel) {
  const auto follows = [](const OpeningCase& opening) { return !opening.is(OutletRule::prescribed); };
  if (std::any_of(c.openings.begin(), c.openings.end(), follows))
    all_ = std::make_unique<All>(transport, lattice, c, vessel);
}
Outlets::~Outlets() = default;

void Outlets::start(StepManager& manager) {
  if (all_) all_->monitors.start(manager, "outlets", {.way = Monitors::Way::rounds});
}

std::string Outlets::with_state(const std::string& program_state) const {
  if (!all_) return program_state;
  auto object = json::parse(program_state);
  object["outlets"] = all_->state();
  return object.dump();
}

void Outlets::restore(const std::string& program_state) {
  if (!all_) return;
  try {
    all_->restore(json::parse(program_state).at("outlets"));
  } catch (const json::exception&) {
    throw InputError("the checkpoint does not tell what its outlets follow (another program wrote it). begin anew.", true);
  }
}

std::int64_t inflow_ticks(const lattice::SparseLattice& lattice, std::size_t opening) {
  return lattice.inflow_ticks()[opening];
}
}  // namespace weft::flow
