// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "flow/case/case.hpp"
#include "flow/scaling/validity.hpp"
#include "flow/scaling/vessel_compartment.hpp"
#include "weft/error.hpp"

namespace weft::flow {

namespace {

using geometry::operator-;
using OpeningKind = lattice::OpeningState::Kind;

constexpr double wanted_speed = 0.05;           // voxels per step, on the axis
constexpr double wanted_deviation = 0.02;       // of the lattice density, if pressures drive the flow
constexpr double wanted_pressure_range = 0.03;  // of the lattice density, over the pulse with windkessels
constexpr double most_for_pressure_range = 4;   // times the steps that the speed requires
constexpr double wanted_tau = 0.8;              // if nothing else limits it
using validity::lowest_tau;
constexpr double highest_wanted_tau = 1.0;

/// The pressures at an opening over time.
struct Pressures {
  const OpeningCase* opening;
  double low, high, mean;
};

Pressures pressures_at(const OpeningCase& opening) {
  if (opening.is(OpeningCase::Rule::prescribed))
    return {&opening, opening.value.lowest(), opening.value.highest(), opening.value.mean()};
  const double begin = opening.windkessel.middle.value_or(opening.windkessel.initial);  // the later one is unknown
  return {&opening, begin, begin, begin};
}

struct PrescribedRange {
  double lowest = 0, highest = 0;
};

PrescribedRange pressure_range(const Case& c) {
  std::optional<PrescribedRange> range;
  for (const auto& opening : c.openings) {
    if (opening.kind != OpeningKind::pressure) continue;
    const auto at = pressures_at(opening);
    if (!range) range = {at.low, at.high};
    range->lowest = std::min(range->lowest, at.low), range->highest = std::max(range->highest, at.high);
  }
  return range.value_or(PrescribedRange{});
}

/// The mean of the pressure openings' initial pressures, so that the start causes only small waves.
double initial_pressure(const Case& c, double otherwise) {
  double sum = 0;
  int number = 0;
  for (const auto& opening : c.openings) {
    if (opening.kind != OpeningKind::pressure) continue;
    sum += opening.is(OpeningCase::Rule::prescribed) ? opening.value.at(0) : opening.windkessel.initial;
    ++number;
  }
  return number > 0 ? sum / number : otherwise;
}

double chosen_time_step(const Case& c) {
  const double dx = c.surface.voxel;
  const auto for_tau = [&](double tau) { return (tau - 0.5) / 3 * dx * dx / c.fluid.kinematic_viscosity(); };
  const auto flow = estimate_flow(c);
  const bool pressures_only = std::all_of(c.openings.begin(), c.openings.end(), [](const OpeningCase& opening) {
    return opening.kind == OpeningKind::pressure || opening.is(OpeningCase::Rule::share);
  });
  double dt = std::numeric_limits<double>::infinity();
  if (flow.peak_speed > 0) dt = wanted_speed * dx / flow.peak_speed;
  if (pressures_only || !(flow.peak_speed > 0)) dt = std::min(dt, for_tau(wanted_tau));
  if (pressures_only && flow.pressure_range > 0)
    dt = std::min(dt, dx * std::sqrt(wanted_deviation * c.fluid.density / 3 / (flow.pressure_range / 2)));
  dt = std::clamp(dt, for_tau(lowest_tau(c.lattice)), for_tau(highest_wanted_tau));

  // The faster sound is, the less the pulse compresses the lattice's fluid.
  const auto range = pressure_range(c);
  const double reference = range.lowest / 2 + range.highest / 2;
  const auto pressure_range =
      expected_pressure_range(c, {dx, dt, c.fluid.density, c.fluid.kinematic_viscosity(), reference}, 0);
  const double pulse = pressure_range.is_known
                           ? std::max(pressure_range.beat_highest - reference, reference - pressure_range.beat_lowest)
                           : 0;
  if (pulse > 0)
    dt = std::min(dt, std::max(dt / most_for_pressure_range,
                               dx * std::sqrt(wanted_pressure_range * c.fluid.density / 3 / pulse)));
  return std::max(dt, for_tau(lowest_tau(c.lattice)));
}

// At least 1, at most the largest number of steps that a case may have.
std::int64_t steps_in(double seconds, const Scaling& scaling) {
  constexpr double most = 1e15;
  return std::llround(std::clamp(seconds / scaling.dt, 1.0, most));
}

}  // namespace

double mach(double lattice_speed) { return lattice_speed * std::sqrt(3.0); }

Scaling make_scaling(const Case& c) {
  const auto range = pressure_range(c);
  Scaling scaling;
  scaling.dx = c.surface.voxel;
  scaling.dt = c.lattice.time_step ? *c.lattice.time_step : chosen_time_step(c);
  scaling.density = c.fluid.density;
  scaling.viscosity = c.fluid.kinematic_viscosity();
  scaling.reference_pressure = range.lowest / 2 + range.highest / 2;
  scaling.initial_pressure = initial_pressure(c, scaling.reference_pressure);
  if (!(scaling.dt > 0) || !std::isfinite(scaling.dt) || !std::isfinite(scaling.tau()))
    throw InputError(c.file.string() +
                         ": The voxel, the viscosity and the openings' values are too far apart (no finite time step "
                         "suits them). Correct them.",
                     true);
  return scaling;
}

PressureDrop pressure_drop(const FluidCase& fluid, double speed, double radius, double length) {
  const double nu = fluid.kinematic_viscosity(), diameter = 2 * radius;
  return {.laminar = 8 * fluid.viscosity * speed * length / (radius * radius),
          .turbulent =
              0.316 / 2 * std::pow(nu / diameter, 0.25) * std::pow(speed, 1.75) * fluid.density * length / diameter};
}

namespace {

struct FastestOpening {
  double speed = 0, diameter = 0;
};

/// Where a prescribed pressure drives fluid through windkessels: their resistances limit the flow, but for what a pulse
/// stores in their capacitances.
std::optional<FastestOpening> flow_through_windkessels(const Case& c) {
  const OpeningCase* driver = nullptr;
  double area = 0, flow = 0;  // of the inlets with a pressure; through all windkessels
  for (const auto& opening : c.openings) {
    if (opening.kind != OpeningKind::pressure || !opening.is(OpeningCase::Rule::prescribed)) continue;
    if (driver == nullptr || opening.value.highest() > driver->value.highest()) driver = &opening;
  }
  if (driver == nullptr) return {};
  const double swing = driver->value.highest() - driver->value.lowest(), period = driver->value.repeats_after();
  FastestOpening fastest;
  const auto see = [&](double through, double of_area, double radius) {
    if (of_area > 0 && through / of_area > fastest.speed) fastest = {through / of_area, 2 * radius};
  };
  for (const auto& opening : c.openings) {
    if (opening.kind != OpeningKind::pressure) continue;
    const auto& w = opening.windkessel;
    if (opening.is(OpeningCase::Rule::windkessel) && w.resistance + w.proximal > 0) {
      double through = std::abs(driver->value.highest() - opening.value.lowest()) / (w.resistance + w.proximal);
      if (period > 0 && w.capacitance > 0) {
        const double stored = std::numbers::pi * w.capacitance * swing / period;
        through += w.proximal > 0 ? std::min(stored, swing / w.proximal) : stored;
      }
      flow += through;
      see(through, opening.area(), opening.radius());
    } else if (opening.is(OpeningCase::Rule::prescribed) && opening.disc.kind == driver->disc.kind) {
      area += opening.area();
    }
  }
  if (!(flow > 0)) return {};
  see(flow, area, driver->radius());
  return fastest;
}

/// The speed that the pressures drive through a tube between two openings, limited by friction, and in its oscillating
/// part by inertia.
FastestOpening speed_between(const Case& c, const Pressures& a, const Pressures& b) {
  const double radius = std::min(a.opening->radius(), b.opening->radius());
  const double length = std::max(geometry::length(a.opening->disc.centre - b.opening->disc.centre), radius);
  const double per_speed = pressure_drop(c.fluid, 1, radius, length).turbulent;
  const auto by_friction = [&](double drop) {
    return std::min(drop * radius * radius / (8 * c.fluid.viscosity * length), std::pow(drop / per_speed, 4.0 / 7));
  };
  const double most = std::max(a.high - b.low, b.high - a.low), steady = std::min(most, std::abs(a.mean - b.mean));
  const double period = std::max(a.opening->value.repeats_after(), b.opening->value.repeats_after());
  if (!(most > 0)) return {};
  if (!(period > 0)) return {by_friction(most), 2 * radius};
  const double swings = (most - steady) * period / (2 * std::numbers::pi * c.fluid.density * length);
  return {std::min(by_friction(most), by_friction(steady) + swings), 2 * radius};
}

}  // namespace

FlowEstimate estimate_flow(const Case& c) {
  FlowEstimate estimate;
  const auto range = pressure_range(c);
  estimate.pressure_range = range.highest - range.lowest;
  bool velocities = false;
  double inflow = 0, behind = 0;  // prescribed inflow; area of the outlets with a pressure
  for (const auto& opening : c.openings)
    if (opening.kind == OpeningKind::velocity && opening.disc.kind == geometry::Opening::Kind::inlet)
      inflow += opening.value.largest_magnitude() * opening.area();
  for (const auto& opening : c.openings) {
    if (opening.kind != OpeningKind::velocity && !(opening.expected_speed > 0)) continue;
    const bool share = opening.is(OpeningCase::Rule::share);
    velocities = velocities || !share;
    const double speed = share                                   ? opening.value.at(0) * inflow / opening.area()
                         : opening.kind == OpeningKind::velocity ? opening.value.largest_magnitude()
                                                                 : opening.expected_speed;
    if (speed < estimate.mean_speed) continue;
    estimate.mean_speed = speed;
    estimate.diameter = 2 * opening.radius();
  }
  for (const auto& opening : c.openings) {  // the outlets together may be narrower than the vessel before them
    if (opening.disc.kind != geometry::Opening::Kind::outlet || opening.kind != OpeningKind::pressure) continue;
    behind += opening.area();
  }
  const double shared = std::accumulate(
      c.openings.begin(), c.openings.end(), 0.0,
      [](double sum, const OpeningCase& o) { return sum + (o.is(OpeningCase::Rule::share) ? o.value.at(0) : 0); });
  if (behind > 0 && inflow * (1 - shared) / behind > estimate.mean_speed) {
    estimate.mean_speed = inflow * (1 - shared) / behind;
    for (const auto& opening : c.openings)
      if (opening.kind == OpeningKind::pressure) estimate.diameter = 2 * opening.disc.radius;
  }
  if (c.narrow && c.narrow->share * inflow / c.narrow->area > estimate.mean_speed) {
    estimate.mean_speed = c.narrow->share * inflow / c.narrow->area;
    estimate.diameter = 2 * std::sqrt(c.narrow->area / std::numbers::pi);
    estimate.inside = true;
  }
  estimate.peak_speed = 2 * estimate.mean_speed;
  if (velocities) return estimate;
  const auto see = [&](const FastestOpening& one) {
    if (!(one.speed > estimate.mean_speed)) return;
    estimate.from_pressures = true;
    estimate.mean_speed = one.speed, estimate.diameter = one.diameter;
  };
  const auto through = flow_through_windkessels(c);
  if (through) see(*through);
  for (const auto& a : c.openings)
    for (const auto& b : c.openings) {
      const auto counts = [&](const OpeningCase& o) {
        return o.kind == OpeningKind::pressure && (!through || o.is(OpeningCase::Rule::prescribed));
      };
      if (&a < &b && counts(a) && counts(b)) see(speed_between(c, pressures_at(a), pressures_at(b)));
    }
  estimate.peak_speed = 2 * estimate.mean_speed;
  return estimate;
}

double reynolds(const FlowEstimate& estimate, const Scaling& scaling) {
  return estimate.mean_speed * estimate.diameter / scaling.viscosity;
}

std::int64_t steps_of(const Case& c, const Scaling& scaling) {
  if (c.run.steps) return *c.run.steps;
  return steps_in(*c.run.duration, scaling);
}

std::int64_t steps_between(const Every& every, const Scaling& scaling) {
  if (every.every_steps) return *every.every_steps;
  return every.every_seconds ? steps_in(*every.every_seconds, scaling) : 0;
}

std::int64_t picture_interval(const Case& c, const Scaling& scaling) {
  const auto steps = steps_between(c.pictures, scaling);
  return steps > 0 ? std::max(steps, PictureCase::least_steps) : 0;
}

double magic_of(const LatticeCase& lattice, double tau) {
  constexpr double usual = 3.0 / 16.0, slowest_odd_tau = 3.5;
  if (lattice.magic) return *lattice.magic;
  return lattice.collision == lattice::Collision::cumulant ? usual
                                                           : std::min(usual, (slowest_odd_tau - 0.5) * (tau - 0.5));
}

lattice::Parameters lattice_parameters(const Case& c, const Scaling& scaling) {
  std::function<double(double)> viscosity;
  if (!c.has_one_viscosity())
    viscosity = [fluid = c.fluid, dt = scaling.dt, unit = scaling.dt / (scaling.dx * scaling.dx),
                 eddies = c.lattice.smagorinsky * c.lattice.smagorinsky](double shear_rate) {
      return fluid.viscosity_at(shear_rate / dt) / fluid.density * unit + eddies * shear_rate;
    };
  return {.velocities = c.lattice.velocities,
          .precision = c.lattice.precision,
          .storage = c.lattice.storage,
          .collision = c.lattice.collision,
          .tau = scaling.tau(),
          .magic = magic_of(c.lattice, scaling.tau()),
          .wall = c.lattice.wall,
          .incompressible = c.lattice.incompressible,
          .advection = c.lattice.advection_in_force(),
          .sponge = {c.lattice.sponge / scaling.dx, c.lattice.sponge_viscosity, !c.lattice.sponge_is_chosen},
          .viscosity = std::move(viscosity)};
}

lattice::OpeningState opening_state(const OpeningCase& opening, const Scaling& scaling, double time_s) {
  return opening_state(opening.kind, scaling, opening.value.at(time_s));
}

lattice::OpeningState opening_state(OpeningKind kind, const Scaling& scaling, double value) {
  if (kind == OpeningKind::pressure) return {.kind = OpeningKind::pressure, .density = scaling.lattice_density(value)};
  return {.kind = OpeningKind::velocity, .speed = scaling.lattice_speed(value)};
}

namespace {

using geometry::operator-;

}  // namespace

double start_ramp(const Case& c, const Scaling& scaling) {
  if (!c.run.ramp_is_chosen) return c.run.ramp;
  double extent = 0;
  for (const auto& a : c.openings) {
    extent = std::max(extent, 2 * a.disc.radius);
    for (const auto& b : c.openings) extent = std::max(extent, geometry::length(a.disc.centre - b.disc.centre));
  }
  constexpr double crossings = 10, of_beat = 0.1;
  const double crossing = std::sqrt(3.0) * extent / scaling.speed_unit();
  return std::max(crossings * crossing, of_beat * common_period(c).value_or(0));
}

}  // namespace weft::flow
