// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "flow/extracts/site_values.hpp"
#include "flow/steering/unstable.hpp"
#include "flow/step/pressure_gauge.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

using geometry::operator-;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Shared by all monitors: what they read, and the row that they fill.
struct Context {
  const LatticeClient& lattice;
  const geometry::Domain& domain;
  const Scaling& scaling;
  Transport& transport;
  MonitorRow row{};

  const lattice::Observation& seen() const { return lattice.lattice().observation(); }
  bool has_seen() const { return lattice.seen_step() >= 0; }
  // The largest change of an opening's pressure per step since the row before, over the range of the openings'
  // pressures, or over density x speed^2 if that is larger. Not-a-number: unknown.
  double pressure_change() const;
  std::vector<double> pressure_rate{};  // Pa per step, of each opening
  // Throws Unstable if the flow was found unstable. Collective, between two steps.
  void throw_if_broken() const;
  std::optional<Breakdown> broken{};  // without its position; the same on all ranks
};

struct Incompressibility {
  struct Value {
    double lowest = infinity, highest = -infinity, speed_squared = 0, mass = 0;
  };
  Value local() const {
    if (!c.has_seen()) return {};
    return {c.seen().lowest_density, c.seen().highest_density, c.seen().highest_speed_squared, c.seen().mass};
  }
  static Value combine(const Value& a, const Value& b) {
    return {smaller(a.lowest, b.lowest), larger(a.highest, b.highest), larger(a.speed_squared, b.speed_squared),
            a.mass + b.mass};
  }
  void use(const Value& all, std::int64_t) {
    if (all.mass == 0) return;
    c.row.lowest_density = all.lowest;
    c.row.highest_density = all.highest;
    c.row.highest_mach = mach(std::sqrt(all.speed_squared));
    c.row.mass = c.scaling.mass(all.mass);
  }
  Context& c;
};

// A flow is unstable if a population is not a number, or is negative in a step that checked all populations, or a
// density is not positive, or a speed exceeds that of sound. Without the monitor: only if a number is not finite.
struct Stability {
  struct Value {
    double population = infinity, density = infinity, speed_squared = 0;
    std::int64_t broken = 0, not_numbers = 0, step = -1;
  };
  Value local() const {
    c.throw_if_broken();  // for callers that do not call check()
    if (!c.has_seen()) return {};
    const auto& s = c.seen();
    const bool is_number = std::isfinite(s.mass);
    const bool broken =
        !is_number ||
        (is_strict && (!(s.lowest_density > 0) || !(s.highest_speed_squared < 1.0 / 3) || s.bad_site >= 0));
    return {s.lowest_population,
            s.lowest_density,
            s.highest_speed_squared,
            broken ? 1 : 0,
            is_number && s.bad_site < 0 ? 0 : 1,
            c.lattice.seen_step()};
  }
  static Value combine(const Value& a, const Value& b) {
    return {smaller(a.population, b.population),
            smaller(a.density, b.density),
            larger(a.speed_squared, b.speed_squared),
            a.broken + b.broken,
            a.not_numbers + b.not_numbers,
            a.step};
  }
  // Stores the cause; Unstable is thrown between two steps, when the whole state of the lattice is available.
  void use(const Value& all, std::int64_t) {
    using Cause = Breakdown::Cause;
    if (all.broken == 0) return;  // also for zeros, which phased monitors return once after a restart
    const auto broken_by = [&](Cause cause, double value) {
      if (!c.broken) c.broken = Breakdown{.step = all.step, .cause = cause, .value = value};
    };
    if (all.population < 0) return broken_by(Cause::negative_population, all.population);
    if (all.not_numbers > 0) return broken_by(Cause::not_a_number, 0);
    if (!(all.density > 0)) return broken_by(Cause::density, all.density);
    broken_by(Cause::speed, mach(std::sqrt(all.speed_squared)));
  }
  Context& c;
  bool is_strict;
};

// The change is between the last two steps that stored fields; other steps give no new value. Pressures have to stand,
// too: sound that rings in the vessel changes them more than the velocity.
struct Convergence {
  struct Value {
    double change_squared = 0, speed_squared = 0;
    std::int64_t step = -1, before = -1;  // the same on all ranks
  };
  Value local() const {
    if (!c.has_seen()) return {};
    return {c.seen().change_squared, c.seen().speed_squared, c.lattice.fields_step(), c.lattice.fields_before()};
  }
  static Value combine(const Value& a, const Value& b) {
    return {a.change_squared + b.change_squared, a.speed_squared + b.speed_squared, a.step, a.before};
  }
  void use(const Value& all, std::int64_t) {
    if (all.step == known) return;
    known = all.step;
    const auto interval = static_cast<double>(all.step - std::max<std::int64_t>(all.before, 0));
    c.row.relative_change =
        interval > 0 && all.speed_squared > 0 ? std::sqrt(all.change_squared / all.speed_squared) / interval : 1;
    converged = converged || (tolerance > 0 && c.row.relative_change < tolerance && !(c.pressure_change() > tolerance));
  }
  Context& c;
  double tolerance;
  std::int64_t known = -1;
  bool converged = false;
};

struct FlowRate {
  struct Value {
    double inflow = 0;
    std::int64_t density = 0;
  };
  Value local() const { return {c.lattice.lattice().inflow()[opening], ticks()}; }
  std::int64_t ticks() const {
    return c.lattice.seen_step() == restored_step ? restored : gauge.seen_ticks(c.lattice.lattice());
  }
  static Value combine(const Value& a, const Value& b) { return {a.inflow + b.inflow, a.density + b.density}; }
  void use(const Value& all, std::int64_t step) {
    const double before = c.row.pressure[opening];
    c.row.flow[opening] = c.scaling.flow(all.inflow);
    c.row.pressure[opening] = c.scaling.pressure(1 + tick * static_cast<double>(all.density));
    c.pressure_rate[opening] = std::abs(c.row.pressure[opening] - before) / static_cast<double>(step - c.row.step);
  }
  Context& c;
  std::size_t opening;
  PressureGauge gauge;
  std::int64_t restored = 0, restored_step = -1;  // from a checkpoint
};

struct CrossSection {
  using Value = SectionSum;
  Value local() const {
    Value v;
    for (const auto& site : sites) v.add(site, normal, c.lattice.lattice().moments(site.site));
    return v;
  }
  static Value combine(const Value& a, const Value& b) { return a + b; }
  void use(const Value& all, std::int64_t) {
    c.row.section_flow[number] = c.scaling.flow(all.flow.value() * tick);
    c.row.section_pressure[number] = c.scaling.pressure(all.mean_density());
  }
  Context& c;
  std::size_t number;
  geometry::Vector normal;
  std::vector<SectionSite> sites;  // this rank's
};

struct Entropy {
  using Value = lattice::Entropy;
  Value local() const { return c.lattice.lattice().entropy(); }
  static Value combine(Value a, const Value& b) { return a += b; }
  void use(const Value& all, std::int64_t) { c.row.entropy = all.value(); }
  Context& c;
};

// The last monitor: then the row is complete. A rank that could not write a file informs the others with its next
// values.
struct RowEnd {
  struct Value {
    std::int64_t step = -1, failed = 0;
  };
  Value local() const { return {c.lattice.seen_step(), failure != nullptr && failure->any() ? 1 : 0}; }
  static Value combine(const Value& a, const Value& b) { return {a.step, a.failed + b.failed}; }
  void use(const Value& all, std::int64_t) {
    if (failure != nullptr) failure->learn(all.failed);
    if (all.step < 0 || c.broken) return;
    c.row.step = all.step;
    on_row(c.row);
  }
  Context& c;
  std::function<void(const MonitorRow&)> on_row;
  program::KeptFailure* failure;
};

double Context::pressure_change() const {
  if (row.pressure.empty()) return MonitorRow::unknown;
  const auto [low, high] = std::ranges::minmax(row.pressure);
  double scale = high - low;
  for (std::size_t k = 0; k < row.flow.size(); ++k) {
    const double radius = domain.openings[k].radius, speed = row.flow[k] / (std::numbers::pi * radius * radius);
    scale = std::max(scale, scaling.density * speed * speed);
  }
  return std::ranges::max(pressure_rate) / scale;
}

// Measure of instability of a site, by the cause: the flow broke down at the site with the largest value.
double beyond(const lattice::SparseLattice::Moments& m, Breakdown::Cause cause) {
  const double speed_squared = geometry::dot(m.velocity, m.velocity);
  if (!std::isfinite(m.density) || !std::isfinite(speed_squared)) return infinity;
  return cause == Breakdown::Cause::density ? -m.density : speed_squared;
}

// The smallest Grid::site_id of all ranks' sites with a bad population, or if there are none (any more), with the
// largest beyond(). A site's state is bitwise identical on any number of ranks, and so is the result. Collective; takes
// about as long as a step.
std::int64_t find_broken_site(Transport& transport, const lattice::SparseLattice& lattice,
                              const geometry::Domain& domain, Breakdown::Cause cause) {
  constexpr auto nowhere = std::numeric_limits<std::int64_t>::max();
  if (cause == Breakdown::Cause::negative_population || cause == Breakdown::Cause::not_a_number) {
    const auto mine = lattice.bad_site();
    const auto site = all_reduce(transport, mine < 0 ? nowhere : mine, minimum<std::int64_t>());
    if (site != nowhere) return site;
  }
  double most = -infinity;
  auto first = nowhere;
  for (std::size_t k = 0; k < domain.sites.size(); ++k) {
    const auto m = lattice.is_at_opening(k) ? lattice.opening_moments(k) : lattice.moments(k);
    const double here = beyond(m, cause);
    const auto id = domain.grid.site_id(domain.sites[k]);
    if (here > most || (here == most && id < first)) most = here, first = id;
  }
  const double most_of_all = all_reduce(transport, most, maximum<double>());
  return all_reduce(transport, most == most_of_all ? first : nowhere, minimum<std::int64_t>());
}

void Context::throw_if_broken() const {
  if (!broken) return;
  auto b = *broken;
  const auto site = find_broken_site(transport, lattice.lattice(), domain, b.cause);
  const auto& grid = domain.grid;
  const auto x = static_cast<std::int32_t>(site % grid.extent[0]);
  const auto y = static_cast<std::int32_t>(site / grid.extent[0] % grid.extent[1]);
  const auto z = static_cast<std::int32_t>(site / grid.extent[0] / grid.extent[1]);
  b.place = grid.centre({x, y, z});
  double wall = infinity;  // distance to the nearest site beside a wall
  for (const auto& cut : domain.cuts)
    if (cut.opening == geometry::Cut::wall)
      wall = std::min(wall, geometry::length(grid.centre(domain.sites[cut.site]) - b.place));
  wall = all_reduce(transport, wall, minimum<double>());
  if (std::isfinite(wall)) b.wall_distance = wall;
  throw Unstable(b);
}

}  // namespace

struct FlowMonitors::All {
  All(Transport& transport, LatticeClient& lattice, const Vessel& vessel, const MonitorCase& options,
      std::function<void(const MonitorRow&)> on_row, std::span<const SectionCase> given, program::KeptFailure* failure)
      : context{lattice, vessel.domain, vessel.scaling, transport}, monitors(transport), every(options.every),
        way(options.way), incompressibility{context}, stability{context, options.stability},
        convergence{context, options.tolerance}, entropy{context}, end{context, std::move(on_row), failure} {
    const auto openings = vessel.domain.openings.size();
    context.row.flow.assign(openings, MonitorRow::unknown);
    context.row.pressure.assign(openings, MonitorRow::unknown);
    context.pressure_rate.assign(openings, MonitorRow::unknown);
    auto gauges = make_gauges(transport, lattice.lattice(), context.domain, vessel.lumens);
    for (std::size_t k = 0; k < openings; ++k) {
      gauges[k].watch(lattice.lattice());
      rates.push_back({context, k, std::move(gauges[k])});
    }
    if (options.incompressibility) monitors.add(incompressibility);
    monitors.add(stability);
    if (options.flow_rates)
      for (auto& rate : rates) monitors.add(rate);
    if (options.convergence) monitors.add(convergence);
    for (std::size_t k = 0; k < given.size(); ++k) {
      sections.push_back({context, k, given[k].normal, section_sites(given[k], vessel.domain)});
      std::ranges::sort(sections.back().sites, {},
                        [&](const auto& one) { return lattice.lattice().slots()[one.site]; });
      check_section(given[k].name, all_reduce(transport, sections.back().sites.empty() ? 0.0 : 1.0, maximum<double>()));
    }
    context.row.section_flow.assign(given.size(), MonitorRow::unknown);
    context.row.section_pressure.assign(given.size(), MonitorRow::unknown);
    for (auto& section : sections) monitors.add(section);
    if (options.entropy) monitors.add(entropy);
    monitors.add(end);
  }

  Context context;
  Monitors monitors;
  std::int64_t every;
  Monitors::Way way;
  Incompressibility incompressibility;
  Stability stability;
  Convergence convergence;
  std::deque<FlowRate> rates;
  std::deque<CrossSection> sections;
  Entropy entropy;
  RowEnd end;
};

std::vector<std::string> monitored_names(const Case& c) {
  std::vector<std::string> names;
  for (const auto& opening : c.openings) names.push_back(opening.disc.name);
  for (const auto& section : c.sections) names.push_back(section.name);
  return names;
}

std::vector<std::string> monitor_columns(const std::vector<std::string>& names) {
  std::vector<std::string> columns = {"step",     "time_s",  "density_min",     "density_max",
                                      "mach_max", "mass_kg", "relative_change", "entropy"};
  for (const auto& name : names) {
    columns.push_back(name + "_flow_m3_per_s");
    columns.push_back(name + "_pressure_pa");
  }
  return columns;
}

std::vector<double> MonitorRow::columns(const Scaling& scaling) const {
  std::vector<double> values{scaling.time(step), lowest_density, highest_density, highest_mach, mass,
                             relative_change,    entropy};
  for (std::size_t k = 0; k < flow.size(); ++k) values.insert(values.end(), {flow[k], pressure[k]});
  for (std::size_t k = 0; k < section_flow.size(); ++k)
    values.insert(values.end(), {section_flow[k], section_pressure[k]});
  return values;
}

FlowMonitors::FlowMonitors(Transport& transport, LatticeClient& lattice, const Vessel& vessel,
                           const MonitorCase& options, std::function<void(const MonitorRow&)> on_row,
                           std::span<const SectionCase> sections, program::KeptFailure* failure)
    : all_(std::make_unique<All>(transport, lattice, vessel, options, std::move(on_row), sections, failure)) {}
FlowMonitors::~FlowMonitors() = default;

// The monitors run one step after the step that they report, which must be complete.
void FlowMonitors::start(StepManager& manager) {
  all_->monitors.start(manager, "monitors", {.way = all_->way, .every = all_->every, .offset = 1 % all_->every});
}
Client& FlowMonitors::client() { return all_->monitors.client(); }

void FlowMonitors::finish() {
  const auto seen = all_->context.lattice.seen_step();
  if (seen != all_->context.row.step) all_->monitors.read_now(seen);
  check();
}

void FlowMonitors::check() const { all_->context.throw_if_broken(); }

FlowMonitors::State FlowMonitors::state() const { return {all_->context.row, all_->convergence.known}; }

void FlowMonitors::restore(const State& state) {
  auto& row = all_->context.row;
  const auto sections = row.section_flow.size();
  row = state.row;  // checkpoints do not include the sections
  row.section_flow.assign(sections, MonitorRow::unknown);
  row.section_pressure.assign(sections, MonitorRow::unknown);
  auto& convergence = all_->convergence;
  convergence.known = state.change_step;
  convergence.converged = state.change_step >= 0 && state.row.relative_change < convergence.tolerance;
}

std::vector<std::int64_t> FlowMonitors::seen_pressures() const {
  std::vector<std::int64_t> ticks;
  for (const auto& rate : all_->rates) ticks.push_back(rate.ticks());
  return ticks;
}

void FlowMonitors::restore_seen_pressures(std::span<const std::int64_t> ticks) {
  for (std::size_t k = 0; k < ticks.size(); ++k) {
    all_->rates[k].restored = ticks[k];
    all_->rates[k].restored_step = all_->context.lattice.seen_step();
  }
}

bool FlowMonitors::idle_before(std::int64_t step) const { return all_->monitors.idle_before(step); }

const MonitorRow& FlowMonitors::row() const { return all_->context.row; }
bool FlowMonitors::converged() const { return all_->convergence.converged; }

}  // namespace weft::flow
