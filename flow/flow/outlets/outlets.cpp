// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/outlets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/outlets/controllers.hpp"
#include "flow/outlets/outlet_state.hpp"
#include "flow/outlets/tuner.hpp"
#include "flow/outlets/windkessel.hpp"
#include "flow/scaling/validity.hpp"
#include "flow/step/pressure_gauge.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

using nlohmann::json;
using OutletRule = OpeningCase::Rule;

struct Follower {
  std::size_t opening;
  std::optional<Windkessel> windkessel{};  // of a compartment: its proximal resistance alone
  std::optional<HeldFlow> held{};
  double wanted = 0;  // held: target, m^3/s out of the vessel
  double off = 0;     // held: relative deviation of the flow from its target
  Windkessel::State pressures{};
  double value = 0;  // Pa, the opening's pressure
};

bool follows(const Case& c, const OpeningCase& opening) {
  return !opening.is(OutletRule::prescribed) || may_be_held(c, opening);
}

/// An opening whose pressure drives fluid in.
struct Feeder {
  std::size_t opening;
  const Follower* outlet;  // the outlet model that gives the pressure; null: prescribed
  FedFlow flow;
  FedFlow::State state{};
  double speed = 0;        // m/s; 0: no inflow
  double off = 0;          // missing pressure / (density x speed^2)
  std::int64_t until = 0;  // no change before this step, since older measurements are still arriving
};

struct Level {
  std::size_t opening;
  PressureLevel level;
  PressureLevel::State state{};
  struct Seen {
    double missing = 0, flow = 0;  // largest magnitudes, Pa and m^3/s
  };
  Seen now{}, last{};  // in this beat or tenth of the run, and in the one before
};

bool needs_beats(const Case& c) { return c.run.until_periodic || (c.tune.wanted && common_period(c)); }

}  // namespace

struct Outlets::All {
  All(Transport& t, LatticeClient& client, const Case& the_case, const Vessel& vessel)
      : transport(t), lattice(client), c(the_case), scaling(vessel.scaling),
        gauges(make_gauges(t, client.lattice(), vessel.domain, vessel.lumens)), monitors(t), flow(c.openings.size()),
        pressure(c.openings.size()) {
    const auto& extent = vessel.domain.grid.extent;
    const double crossing = std::sqrt(3.0) * *std::max_element(extent.begin(), extent.end()) * scaling.dt;
    const double volume = static_cast<double>(vessel.setup.sites) * scaling.dx * scaling.dx * scaling.dx;
    if (c.tune.wanted) tuner.emplace(c, scaling, volume);
    if (!c.circulation.empty()) {
      circulation.emplace(c.circulation, scaling.dt);
      into.resize(c.circulation.compartments.size());
    }
    std::vector<std::string> names;
    for (const auto& opening : c.openings) names.push_back(opening.disc.name);
    if (needs_beats(c)) beats.emplace(names, *common_period(c), scaling.dt);
    for (std::size_t k = 0; k < c.openings.size(); ++k) {
      inflows.push_back({client, k, t.rank()});
      pressures.push_back({client, k, t.rank(), &gauges[k], gauge_interval(c.openings[k], crossing)});
      add_outlet(k, crossing);
    }
    for (std::size_t k = 0; k < c.openings.size(); ++k) {
      if (!may_be_fed(c, c.openings[k])) continue;
      const auto of_it = std::ranges::find(outlets, k, &Follower::opening);
      feeders.push_back({k, of_it != outlets.end() ? &*of_it : nullptr, FedFlow(scaling, crossing)});
      gauges_at.push_back(gauge_at_opening(t, client.lattice(), vessel.domain, k));
      pressures_at.push_back({client, k, t.rank(), &gauges_at.back()});
    }
    for (std::size_t k = 0; k < c.openings.size(); ++k)
      if (c.openings[k].kind == lattice::OpeningState::Kind::pressure && gauges[k].is_inside)
        levels.push_back({k, PressureLevel(scaling, c.openings[k].area(), crossing)});
    watched_steps = std::max<std::int64_t>(
        1, std::llround(common_period(c).value_or(scaling.time(steps_of(c, scaling)) / 10) / scaling.dt));
    inflow_is_given = std::ranges::all_of(c.openings, [&](const OpeningCase& opening) {
      return opening.disc.kind == geometry::Opening::Kind::outlet ||
             (opening.kind == lattice::OpeningState::Kind::velocity && !may_be_held(c, opening));
    });
    for (auto& inflow : inflows) monitors.add(inflow);
    for (auto* sums : {&pressures, &pressures_at})
      for (auto& one : *sums) monitors.add(one);
    end.all = this;
    monitors.add(end);
  }

  // A gauge takes as long as an update of hundreds of sites, and levels are slow.
  std::int64_t gauge_interval(const OpeningCase& opening, double crossing) const {
    if (may_be_held(c, opening) || beats) return 1;  // a pressure that replaces a velocity begins with the gauge's
    if (opening.kind != lattice::OpeningState::Kind::pressure) return std::numeric_limits<std::int64_t>::max();
    return std::clamp(std::llround(crossing / scaling.dt / 40), 1LL, 16LL);
  }
  void add_outlet(std::size_t k, double crossing) {
    const auto& opening = c.openings[k];
    if (!follows(c, opening)) return;
    auto& outlet = outlets.emplace_back(Follower{.opening = k});
    if (may_be_held(c, opening)) {
      outlet.held.emplace(scaling, opening.area(), crossing);
      outlet.pressures.distal = outlet.value = scaling.initial_pressure;
      return;
    }
    make_windkessel(outlet);
    outlet.pressures = outlet.windkessel->start();
    outlet.value = opening.windkessel.initial;
  }
  void make_windkessel(Follower& outlet) const {
    const auto& opening = c.openings[outlet.opening];
    const auto& w = tuner && opening.tuned ? tuner->windkessel(outlet.opening) : opening.windkessel;
    outlet.windkessel.emplace(w, least_capacitance(w, scaling, opening.area()), scaling.dt);
  }

  // The last monitor: all flows are known. The results are applied when the next step begins, since without a shared
  // exchange the lattice's part of this step may still follow.
  struct End {
    using Value = std::int64_t;
    Value local() const {
      all->put();
      return 0;
    }
    static Value combine(const Value& a, const Value&) { return a; }
    void use(const Value&, std::int64_t step) const {
      if (step > 0) all->answer(step);  // step 0 has no previous step
    }
    All* all = nullptr;
  };

  double pressure_of(const OpeningSum& gauge) const { return scaling.pressure(1 + gauge.sum.value() * tick); }  // Pa
  double flow_of(const TickSum& sum) const { return scaling.flow(sum.value() * 0x1p-48); }                      // m^3/s

  // Input: the flows of the step before `step`. The results apply in the step after `step`.
  void answer(std::int64_t step) {
    double entered = 0;
    TickSum inflow;
    for (const auto& one : inflows)
      if (c.openings[one.opening].disc.kind == geometry::Opening::Kind::inlet) inflow = inflow + one.sum;
    entered = flow_of(inflow);
    if (circulation) circulate(step);
    for (auto& level : levels) adapt(level, step);
    for (auto& outlet : outlets) answer(outlet, step, entered);
    for (std::size_t k = 0; k < feeders.size(); ++k) feed(feeders[k], pressure_of(pressures_at[k]), step);
    if (beats) compare(step);
  }

  const Follower* outlet_of(std::size_t opening) const {
    const auto found = std::ranges::find(outlets, opening, &Follower::opening);
    return found != outlets.end() ? &*found : nullptr;
  }
  bool is_fed(std::size_t opening) const {
    const auto found = std::ranges::find(feeders, opening, &Feeder::opening);
    return found != feeders.end() && found->speed > 0;
  }
  double level_of(std::size_t opening) const {
    const auto found = std::ranges::find(levels, opening, &Level::opening);
    return found != levels.end() ? found->state.offset(is_fed(opening)) : 0;
  }

  void adapt(Level& level, std::int64_t step) const {
    const auto k = level.opening;
    const auto* outlet = outlet_of(k);
    const double wanted = outlet != nullptr ? outlet->value : lattice.controls().opening(k, step - 1);
    level.now.missing = std::max(level.now.missing, std::abs(wanted - pressure_of(pressures[k])));
    level.now.flow = std::max(level.now.flow, std::abs(flow_of(inflows[k].sum)));
    if (step % watched_steps == 0) level.last = std::exchange(level.now, {});
    level.state =
        level.level.after(level.state, -flow_of(inflows[k].sum), wanted - pressure_of(pressures[k]), is_fed(k));
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> result;
    for (const auto& level : levels) {
      const auto& opening = c.openings[level.opening];
      const double speed = level.last.flow / opening.area(), dynamic = scaling.density * speed * speed;
      const double viscous = 32 * c.fluid.viscosity * speed / (2 * opening.radius());  // Poiseuille's, of a diameter
      constexpr double small = 0.1;
      if (!(level.last.missing > small * (dynamic + viscous))) continue;
      result.push_back(fmt::format(
          "The pressure at '{}' differs from the one that its condition gives by up to {:.3g} Pa in the last {} "
          "({:.2g} "
          "density x speed^2: the flow turns back there, or eddies pass). Lengthen the vessel there (extension), or "
          "set lattice.sponge to {:.3g} m.",
          opening.disc.name, level.last.missing, common_period(c) ? "beat" : "tenth of the run",
          level.last.missing / dynamic, 2 * opening.radius()));
    }
    return result;
  }

  // Advances the 0-D circulation. Flows count as volumes at the reference density, so that no mass is lost between the
  // vessel and the compartments.
  void circulate(std::int64_t step) {
    std::ranges::fill(into, 0.0);
    for (const auto& outlet : outlets)
      if (c.openings[outlet.opening].is(OutletRule::compartment))
        into[c.openings[outlet.opening].compartment] -= flow_of(inflows[outlet.opening].sum);
    circulation->advance(scaling.time(step - 1), into);
    circulated = step;
  }

  void answer(Follower& outlet, std::int64_t step, double entered) {
    const auto& controls = lattice.controls();
    const auto& opening = c.openings[outlet.opening];
    const double given = controls.opening(outlet.opening, step + 1), out = -flow_of(inflows[outlet.opening].sum);
    if (outlet.held) {
      hold(outlet, step, given, entered, out);
    } else if (opening.is(OutletRule::compartment)) {
      constexpr double ahead = 4;  // steps, as in Windkessel
      outlet.pressures = outlet.windkessel->after(outlet.pressures, out, 0);
      outlet.value = outlet.windkessel->over_proximal(outlet.pressures, out) +
                     circulation->pressure_ahead(opening.compartment, scaling.time(step), ahead * scaling.dt,
                                                 into[opening.compartment]);
    } else {
      // Volume at the reference density, as for prescribed velocities: the whole inflow must leave.
      const double volume = out + fill(outlet.opening, step);
      outlet.pressures = outlet.windkessel->after(outlet.pressures, volume, controls.opening(outlet.opening, step - 1));
      outlet.value = outlet.windkessel->pressure(outlet.pressures, volume, given);
    }
  }

  void hold(Follower& outlet, std::int64_t step, double given, double entered, double out) {
    const auto& opening = c.openings[outlet.opening];
    outlet.off = 0;
    if (!lattice.controls().is_held(outlet.opening, step + 1)) {  // not held: the current pressure
      outlet.value = pressure_of(pressures[outlet.opening]);
      outlet.pressures = {outlet.value, 0};
      return;
    }
    const bool is_share = opening.is(OutletRule::share);
    const double end = is_share ? given * entered : -given * opening.area();
    outlet.wanted = is_share && !inflow_is_given ? outlet.held->followed(outlet.wanted, end) : end;
    const double off = std::abs(out - outlet.wanted) + std::abs(end - outlet.wanted);
    outlet.off = off > 0 ? off / std::max(std::abs(entered), std::abs(end)) : 0;
    outlet.pressures = outlet.held->after(outlet.pressures, out - outlet.wanted);
    outlet.value = outlet.held->pressure(outlet.pressures, out - outlet.wanted);
  }

  // `measured`: at the opening's sites, where the response is fastest; the level corrects it.
  void feed(Feeder& feeder, double measured, std::int64_t step) const {
    constexpr std::int64_t pause = 16;  // steps, until measurements are from after the change
    constexpr double hysteresis = 0.7;
    const bool was_fed = feeder.speed > 0;
    const auto k = feeder.opening;
    if (was_fed) {
      const double wanted = feeder.outlet != nullptr ? feeder.outlet->value : lattice.controls().opening(k, step + 1);
      const double missing = wanted + level_of(k) - measured;
      feeder.state = feeder.flow.after(feeder.state, missing);
      feeder.speed = feeder.flow.speed(feeder.state, missing);
      feeder.off = std::abs(missing) / (scaling.density * feeder.speed * feeder.speed);
    } else {
      if (step < feeder.until) return;
      feeder.state = {flow_of(inflows[k].sum) / c.openings[k].area(), 0};
      feeder.speed = feeder.state.mean;
    }
    const double least = fed_cell_reynolds * (was_fed ? hysteresis : 1);
    if (cell_reynolds(c, feeder.speed) > least) return;
    feeder.speed = 0;
    if (was_fed) feeder.until = step + pause;
  }

  // External filling of a tuned outlet's capacitor in the first part of a beat, m^3/s.
  double fill(std::size_t opening, std::int64_t step) const {
    return step <= fill_until && tuner && c.openings[opening].tuned
               ? tuner->fill(opening) / (static_cast<double>(fill_steps()) * scaling.dt)
               : 0;
  }
  std::int64_t fill_steps() const {
    return std::max<std::int64_t>(1, std::llround(Tuner::fill_part * common_period(c).value_or(0) / scaling.dt));
  }

  void compare(std::int64_t step) {
    for (std::size_t k = 0; k < inflows.size(); ++k) {
      flow[k] = flow_of(inflows[k].sum);
      pressure[k] = pressure_of(pressures[k]);
    }
    if (!beats->take(scaling.time(step), flow, pressure) || !tuner) return;
    tuner->after(*beats);
    fill_until = step + fill_steps();
    for (auto& outlet : outlets)
      if (c.openings[outlet.opening].tuned) make_windkessel(outlet);
  }

  void put() const {
    for (const auto& outlet : outlets) lattice.controls().follow(outlet.opening, outlet.value);
    for (const auto& feeder : feeders) lattice.controls().feed(feeder.opening, feeder.speed);
    for (const auto& level : levels) lattice.controls().level(level.opening, level.state.offset(is_fed(level.opening)));
  }

  json state() {
    json result = json::object();
    result["inflows"] = state_of(transport, inflows);
    for (const auto& outlet : outlets)
      result["outlets"].push_back(
          {outlet.pressures.distal, outlet.pressures.proximal, outlet.value, outlet.wanted, outlet.off});
    for (const auto& feeder : feeders)
      result["feeders"].push_back({feeder.state.mean, feeder.state.answer, feeder.speed, feeder.off, feeder.until});
    for (const auto& level : levels) {
      const auto& now = level.state;
      result["levels"].push_back({now.flow, now.most, now.resistances[0], now.resistances[1], now.resistances[2]});
    }
    result["pressures"] = state_of(transport, pressures);
    result["pressures_at"] = state_of(transport, pressures_at);
    if (beats) result["beats"] = json_of(beats->state());
    if (tuner) result["tuner"] = json_of(tuner->state());
    if (tuner) result["fill_until"] = fill_until;
    if (circulation) result["circulation"] = json_of(circulation->state());
    if (circulation) result["circulated"] = circulated;
    return result;
  }
  void restore(const json& state) {
    flow::restore(inflows, state.at("inflows"));
    for (std::size_t k = 0; k < outlets.size(); ++k) {
      const auto& numbers = state.at("outlets").at(k);
      outlets[k].pressures = {number_of(numbers.at(0)), number_of(numbers.at(1))};
      outlets[k].value = number_of(numbers.at(2));
      outlets[k].wanted = number_of(numbers.at(3));
      outlets[k].off = number_of(numbers.at(4));
    }
    for (std::size_t k = 0; k < feeders.size(); ++k) {
      const auto& numbers = state.at("feeders").at(k);
      feeders[k].state = {number_of(numbers.at(0)), number_of(numbers.at(1))};
      feeders[k].speed = number_of(numbers.at(2));
      feeders[k].off = number_of(numbers.at(3));
      feeders[k].until = numbers.at(4);
    }
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const auto& numbers = state.at("levels").at(k);
      auto& now = levels[k].state;
      now.flow = number_of(numbers.at(0));
      now.most = number_of(numbers.at(1));
      for (std::size_t n = 0; n < now.resistances.size(); ++n) now.resistances[n] = number_of(numbers.at(n + 2));
    }
    const auto same = [](bool is_same) {
      if (!is_same)
        throw InputError("The checkpoint's outlets belong to a case with other openings. Start without --restart.",
                         true);
    };
    flow::restore(pressures, state.at("pressures"));
    flow::restore(pressures_at, state.at("pressures_at"));
    if (beats && state.contains("beats")) {  // otherwise the earlier run compared no beats: begin now
      same(beats->restore(beats_of(state.at("beats"))));
    }
    if (tuner) {
      same(tuner->restore(tuner_of(state.at("tuner"))));
      fill_until = state.at("fill_until");
      for (auto& outlet : outlets)
        if (c.openings[outlet.opening].tuned) make_windkessel(outlet);
    }
    if (circulation) {
      auto network = circulation_of(state.at("circulation"));
      same(network.volume.size() == circulation->state().volume.size() &&
           network.flow.size() == circulation->state().flow.size());
      circulation->restore(std::move(network));
      circulated = state.at("circulated");
    }
    put();
  }

  Transport& transport;
  LatticeClient& lattice;
  const Case& c;
  const Scaling& scaling;
  std::vector<PressureGauge> gauges;
  std::deque<PressureGauge> gauges_at;        // of the feeders
  std::deque<OpeningSum> inflows, pressures;  // of all openings
  std::deque<OpeningSum> pressures_at;        // of the feeders
  std::vector<Follower> outlets;
  std::vector<Feeder> feeders;
  std::vector<Level> levels;
  std::int64_t watched_steps = 1;
  bool inflow_is_given = false;  // velocities prescribe it, independent of the outlets
  std::optional<Tuner> tuner;
  std::optional<Circulation> circulation;
  std::optional<Beats> beats;
  std::vector<double> into;      // flow from the vessel into each compartment, m^3/s
  std::int64_t circulated = 0;   // step at whose beginning the circulation's state is
  std::int64_t fill_until = -1;  // last step of the filling
  End end;
  Monitors monitors;
  std::vector<double> flow, pressure;  // of each opening, in one step
};

Outlets::Outlets(Transport& transport, LatticeClient& lattice, const Case& c, const Vessel& vessel) {
  const auto is_any = [&](const OpeningCase& opening) {
    return follows(c, opening) || opening.kind == lattice::OpeningState::Kind::pressure;
  };
  if (std::any_of(c.openings.begin(), c.openings.end(), is_any) || needs_beats(c))
    all_ = std::make_unique<All>(transport, lattice, c, vessel);
}
Outlets::~Outlets() = default;

void Outlets::start(StepManager& manager) {
  if (!all_) return;
  all_->monitors.start(manager, "outlets", {.way = Monitors::Way::rounds});
}

bool Outlets::periodic() const {
  return all_ && all_->beats && is_periodic(all_->c, *all_->beats, all_->tuner ? &*all_->tuner : nullptr);
}

bool Outlets::settled() const {
  constexpr double near = 1e-4;
  if (!all_) return true;
  const auto is_there = [](const auto& one) { return one.off < near; };
  return std::ranges::all_of(all_->outlets, is_there) &&
         std::ranges::all_of(all_->feeders, [&](const Feeder& f) { return f.speed == 0 || is_there(f); });
}

OutletReport Outlets::report() const {
  if (!all_) return {};
  const auto pointer = [](const auto& optional) { return optional ? &*optional : nullptr; };
  auto report = report_outlets(all_->c, pointer(all_->beats), pointer(all_->tuner), pointer(all_->circulation),
                               all_->scaling.time(all_->circulated));
  report.warnings = all_->warnings();
  for (const auto& warning : report.warnings) report.text += "warning: " + warning + "\n";
  return report;
}

std::vector<std::string> Outlets::columns() const {
  if (!all_ || !all_->circulation) return {};
  std::vector<std::string> columns = {"step", "time_s"};
  for (const auto& compartment : all_->c.circulation.compartments) {
    columns.push_back(compartment.name + "_pressure_pa");
    columns.push_back(compartment.name + "_volume_m3");
  }
  for (const auto& connection : all_->c.circulation.connections) columns.push_back(connection.name + "_flow_m3_per_s");
  return columns;
}

std::vector<double> Outlets::row() const {
  const double time = all_->scaling.time(all_->circulated);
  std::vector<double> row = {time};
  const auto& circulation = *all_->circulation;
  for (std::size_t i = 0; i < circulation.state().volume.size(); ++i) {
    row.push_back(circulation.pressure(i, time));
    row.push_back(circulation.state().volume[i]);
  }
  row.insert(row.end(), circulation.state().flow.begin(), circulation.state().flow.end());
  return row;
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
    const auto object = json::parse(program_state);
    if (all_->outlets.empty() && !object.contains("outlets")) return;  // the earlier run compared no beats
    all_->restore(object.at("outlets"));
  } catch (const json::exception&) {
    throw InputError("The checkpoint has no state of the outlets (an older weft wrote it). Start without --restart.",
                     true);
  }
}

}  // namespace weft::flow
