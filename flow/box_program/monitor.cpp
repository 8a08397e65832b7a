// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "weft/error.hpp"

namespace weft::box_program {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double fixed = 0x1p38;  // 10^8 sites at a density that is off by 0.2 still fit
constexpr auto nowhere = std::numeric_limits<std::int64_t>::max();

std::int64_t fixed_of(double value) { return static_cast<std::int64_t>(value * fixed + (value < 0 ? -0.5 : 0.5)); }
double real_of(std::int64_t value) { return static_cast<double>(value) / fixed; }

// The result of one pass over this rank's sites, for all monitors.
struct Sight {
  double lowest_density = infinity, highest_density = -infinity;
  double speed_squared = 0, change_squared = 0;  // the largest
  std::int64_t excess = 0, momentum[3] = {}, energy = 0, sites = 0;
  std::int64_t bad_site = nowhere;  // the first by x, y, z that is unstable
};

struct Context {
  const lattice::DenseLattice& lattice;
  const Particles& particles;
  const Space& space;
  bool keeps_velocities, is_strict;
  Sight sight{};
  Reading reading{};
  std::int64_t step = -1, before = -1;  // sampled steps
  std::vector<lattice::DenseLattice::State> row{};
  std::vector<std::array<double, 3>> velocity{};

  void look();
  void look_at(const lattice::DenseLattice::State& state, const Site& site, std::size_t number);
};

void Context::look_at(const lattice::DenseLattice::State& state, const Site& site, std::size_t number) {
  const auto& [density, u] = state;
  const double squared = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  if (!(density > 0 && density < 1e3 && squared < 1e3)) {  // also for NaN
    if (!is_strict && std::isfinite(density) && std::isfinite(squared)) return;
    Index p{};
    for (std::size_t a = 0; a < 3; ++a) p[a] = space.block.first[a] + static_cast<std::size_t>(site[a]);
    sight.bad_site =
        std::min(sight.bad_site, static_cast<std::int64_t>((p[0] * space.extent[1] + p[1]) * space.extent[2] + p[2]));
    return;
  }
  sight.lowest_density = std::min(sight.lowest_density, density);
  sight.highest_density = std::max(sight.highest_density, density);
  sight.speed_squared = std::max(sight.speed_squared, squared);
  sight.excess += fixed_of(density - 1);
  for (std::size_t a = 0; a < 3; ++a) sight.momentum[a] += fixed_of(density * u[a]);
  sight.energy += fixed_of(0.5 * density * squared);
  ++sight.sites;
  if (!keeps_velocities) return;
  double change = 0;
  for (std::size_t a = 0; a < 3; ++a) change += (u[a] - velocity[number][a]) * (u[a] - velocity[number][a]);
  sight.change_squared = std::max(sight.change_squared, change);
  velocity[number] = u;
}

void Context::look() {
  sight = {};
  const auto row_axis = space.dimensions - 1;
  auto rows = space.block.count;
  rows[row_axis] = 1;
  row.resize(space.block.count[row_axis]);
  if (keeps_velocities) velocity.resize(space.block.points());
  std::size_t number = 0;
  for (std::size_t x = 0; x < rows[0]; ++x)
    for (std::size_t y = 0; y < rows[1]; ++y) {
      Site s{static_cast<std::ptrdiff_t>(x), static_cast<std::ptrdiff_t>(y), 0};
      s[row_axis] = 0;
      lattice.states(s, row);
      for (std::size_t k = 0; k < row.size(); ++k, ++number) {
        s[row_axis] = static_cast<std::ptrdiff_t>(k);
        if (!particles.is_solid(s)) look_at(row[k], s, number);
      }
    }
}

// Comes first, and samples for all.
struct Begin {
  struct Value {
    std::int64_t step = -1;
  };
  Value local() {
    c.look();
    return {};
  }
  static Value combine(const Value& a, const Value&) { return a; }
  void use(const Value&, std::int64_t step) {
    c.reading = {};
    c.before = c.step;
    c.reading.step = c.step = step;
  }
  Context& c;
};

struct Incompressibility {
  using Value = Sight;
  Value local() const { return c.sight; }
  static Value combine(const Value& a, const Value& b) {
    Value sum = a;
    sum.lowest_density = std::min(a.lowest_density, b.lowest_density);
    sum.highest_density = std::max(a.highest_density, b.highest_density);
    sum.speed_squared = std::max(a.speed_squared, b.speed_squared);
    sum.excess += b.excess;
    for (int d = 0; d < 3; ++d) sum.momentum[d] += b.momentum[d];
    sum.energy += b.energy;
    sum.sites += b.sites;
    return sum;
  }
  void use(const Value& all, std::int64_t) {
    auto& r = c.reading;
    r.lowest_density = all.lowest_density;
    r.highest_density = all.highest_density;
    r.highest_speed = std::sqrt(all.speed_squared);
    r.mass = static_cast<double>(all.sites) + real_of(all.excess);
    for (std::size_t a = 0; a < 3; ++a) r.momentum[a] = real_of(all.momentum[a]);
    r.kinetic_energy = real_of(all.energy);
  }
  Context& c;
};

struct Stability {
  using Value = std::int64_t;
  Value local() const { return c.sight.bad_site; }
  static Value combine(const Value& a, const Value& b) { return std::min(a, b); }
  void use(const Value& all, std::int64_t step) {
    if (all == nowhere) return;
    const auto site = static_cast<std::size_t>(all);
    const auto& n = c.space.extent;
    throw Error(
        fmt::format("The flow became unstable before step {} at site ({}, {}, {}). Use a larger lattice.tau, or a "
                    "smaller wall velocity, force or start.speed; `weft box --check` reports what is out of range.",
                    step, site / n[2] / n[1], site / n[2] % n[1], site % n[2]),
        true);
  }
  Context& c;
};

struct Convergence {
  struct Value {
    double change_squared = 0, speed_squared = 0;
  };
  Value local() const { return {c.sight.change_squared, c.sight.speed_squared}; }
  static Value combine(const Value& a, const Value& b) {
    return {std::max(a.change_squared, b.change_squared), std::max(a.speed_squared, b.speed_squared)};
  }
  void use(const Value& all, std::int64_t step) {
    if (c.before < 0 || step == c.before || all.speed_squared == 0) return;
    c.reading.relative_change =
        std::sqrt(all.change_squared / all.speed_squared) / static_cast<double>(step - c.before);
  }
  Context& c;
};

struct Entropy {
  using Value = lattice::Entropy;
  Value local() const { return c.lattice.entropy(); }
  static Value combine(Value a, const Value& b) { return a += b; }
  void use(const Value& all, std::int64_t) { c.reading.entropy = all.value(); }
  Context& c;
};

// Comes last: the reading is complete. A rank that could not write an earlier one reports it.
struct End {
  using Value = std::int64_t;
  Value local() const { return failure != nullptr && failure->any() ? 1 : 0; }
  static Value combine(const Value& a, const Value& b) { return a + b; }
  void use(const Value& failed, std::int64_t) {
    if (failure != nullptr) failure->learn(failed);
    on_reading(c.reading);
  }
  Context& c;
  std::function<void(const Reading&)> on_reading;
  program::KeptFailure* failure;
};

}  // namespace

struct BoxMonitors::All {
  All(Transport& transport, const lattice::DenseLattice& lattice, const Particles& particles, const Space& space,
      const MonitorCase& o, double steady_below, std::function<void(const Reading&)> on_reading,
      program::KeptFailure* failure)
      : context{lattice, particles, space, o.convergence || steady_below > 0, o.stability}, monitors(transport),
        options(o), steady(steady_below), begin{context}, incompressibility{context}, stability{context},
        convergence{context}, entropy{context}, end{context, std::move(on_reading), failure} {
    monitors.add(begin);
    monitors.add(stability);  // numbers that are not finite end the run, whatever is monitored
    if (o.incompressibility) monitors.add(incompressibility);
    if (context.keeps_velocities) monitors.add(convergence);
    if (o.entropy) monitors.add(entropy);
    monitors.add(end);
  }

  Context context;
  Monitors monitors;
  MonitorCase options;
  double steady;
  Begin begin;
  Incompressibility incompressibility;
  Stability stability;
  Convergence convergence;
  Entropy entropy;
  End end;
};

std::vector<std::string> Reading::columns() {
  return {"step",       "density_min", "density_max",    "speed_max",       "mass",   "momentum_x",
          "momentum_y", "momentum_z",  "kinetic_energy", "relative_change", "entropy"};
}

std::array<double*, 10> Reading::numbers() {
  return {&lowest_density, &highest_density, &highest_speed,   &mass,   &momentum[0], &momentum[1],
          &momentum[2],    &kinetic_energy,  &relative_change, &entropy};
}

std::vector<double> Reading::values() const {
  auto copy = *this;
  std::vector<double> values;
  for (const auto* number : copy.numbers()) values.push_back(*number);
  return values;
}

BoxMonitors::BoxMonitors(Transport& transport, const lattice::DenseLattice& lattice, const Particles& particles,
                         const Space& space, const MonitorCase& options, double steady,
                         std::function<void(const Reading&)> on_reading, program::KeptFailure* failure)
    : all_(std::make_unique<All>(transport, lattice, particles, space, options, steady, std::move(on_reading),
                                 failure)) {}
BoxMonitors::~BoxMonitors() = default;

void BoxMonitors::start(StepManager& manager) {
  all_->monitors.start(manager, "monitors", {.way = all_->options.way, .every = all_->options.every});
}

// A change over the few steps since the last reading is less meaningful than that reading's.
void BoxMonitors::read_now(std::int64_t step) {
  auto& reading = all_->context.reading;
  if (reading.step == step) return;
  const auto change = reading.relative_change;
  all_->monitors.read_now(step);
  if (std::isfinite(change)) reading.relative_change = change;
}

void BoxMonitors::restore(const Reading& reading, bool with_velocities) {
  auto& context = all_->context;
  context.reading = reading;
  context.step = with_velocities ? reading.step : -1;
}

std::vector<std::array<double, 3>>& BoxMonitors::velocities() { return all_->context.velocity; }
bool BoxMonitors::keeps_velocities() const { return all_->context.keeps_velocities; }
bool BoxMonitors::idle_before(std::int64_t step) const { return all_->monitors.idle_before(step); }
const Reading& BoxMonitors::reading() const { return all_->context.reading; }
bool BoxMonitors::is_steady() const { return all_->steady > 0 && all_->context.reading.relative_change < all_->steady; }

}  // namespace weft::box_program
