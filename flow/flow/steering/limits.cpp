// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "flow/scaling/validity.hpp"

namespace weft::flow {
namespace {

using geometry::operator-;
using OpeningKind = lattice::OpeningState::Kind;

/// Rounds down (or up) to a multiple of a power of ten, and to exactly the number that its printed digits denote.
double rounded(double value, double unit, bool up) {
  const double multiple = up ? std::ceil(value / unit) : std::floor(value / unit);
  return std::stod(fmt::format("{:.12g}", multiple * unit));
}
double digit(double value, int digits) { return std::pow(10.0, std::floor(std::log10(std::abs(value))) - digits + 1); }

bool is_driven_by_pressure(const Case& c) {
  return std::all_of(c.openings.begin(), c.openings.end(),
                     [](const auto& o) { return o.kind == OpeningKind::pressure || o.is(OpeningCase::Rule::share); });
}
double highest_cell_reynolds(const Case& c) {
  return validity::highest_cell_reynolds(c.lattice, is_driven_by_pressure(c));
}
double cell_reynolds(const Case& c, const Scaling& s) {
  return estimate_flow(c).peak_speed * s.dx / c.fluid.kinematic_viscosity();
}

/// Highest peak speed, m/s.
double highest_speed(const Case& c, const Scaling& s) {
  return std::min(s.speed(validity::mach_refusal / std::sqrt(3.0)), highest_cell_reynolds(c) * s.viscosity / s.dx);
}

/// Largest pressure difference of two openings for which the flow between them stays below the highest speed.
double pressure_difference(const Case& c, const Scaling& s, const OpeningCase& a, const OpeningCase& b) {
  const double fastest = highest_speed(c, s);
  const double radius = std::min(a.radius(), b.radius());
  const double length = std::max(geometry::length(a.disc.centre - b.disc.centre), radius);
  const auto drop = pressure_drop(c.fluid, fastest / 2, radius, length);
  return std::max(drop.laminar, drop.turbulent);
}

double highest_deviation_pa(const Case& c, const Scaling& s, const OpeningCase& opening) {
  double deviation = validity::highest_deviation * s.pressure_unit();
  for (const auto& other : c.openings)
    if (&other != &opening && other.kind == OpeningKind::pressure)
      deviation = std::min(deviation, pressure_difference(c, s, opening, other) / 2);
  return deviation;
}

/// Up to a share that all share outlets may take at once.
OpeningLimits share_limits(const Case& c, const OpeningCase& opening) {
  double left = 1, outlets = 0;
  for (const auto& other : c.openings)
    if (other.is(OpeningCase::Rule::share)) left -= other.value.at(0), ++outlets;
  const double share = opening.value.at(0);
  const double high = std::max(share, rounded(share + left / outlets * 0.99, 0.001, false));
  return {.name = opening.disc.name, .kind = opening.kind, .low = 0, .high = high, .rule = opening.rule};
}

OpeningLimits limits_of(const Case& c, const Scaling& s, const OpeningCase& opening) {
  if (opening.is(OpeningCase::Rule::share)) return share_limits(c, opening);
  const bool pressure = opening.kind == OpeningKind::pressure;
  // The pressure behind a windkessel changes the pressure at the outlet by at most the same amount.
  const bool behind = opening.is(OpeningCase::Rule::windkessel);
  const double middle = behind ? opening.value.mean() : pressure ? s.reference_pressure : 0;
  const double reach = pressure ? highest_deviation_pa(c, s, opening) : highest_speed(c, s) / 2;
  const double unit = digit(reach, 3);
  if (opening.is(OpeningCase::Rule::compartment))  // not steerable: it has its compartment's pressure
    return {.name = opening.disc.name,
            .kind = opening.kind,
            .low = opening.value.at(0),
            .high = opening.value.at(0),
            .rule = opening.rule};
  return {.name = opening.disc.name,
          .kind = opening.kind,
          .low = std::min(rounded(middle - reach, unit, true), opening.value.lowest()),
          .high = std::max(rounded(middle + reach, unit, false), opening.value.highest()),
          .rule = opening.rule};
}

/// The lowest viscosity for which the case's flow is not too fast: with pressures a less viscous fluid flows faster.
double lowest_viscosity(Case c, const Scaling& s, double at_lowest_tau) {
  const double reynolds = std::max(highest_cell_reynolds(c), cell_reynolds(c, s));
  const double speed = std::max(s.speed(validity::mach_refusal / std::sqrt(3.0)), estimate_flow(c).peak_speed);
  double low = at_lowest_tau, high = c.fluid.viscosity;
  for (int i = 0; i < 50 && low < high; ++i) {
    c.fluid.viscosity = i == 0 ? low : std::sqrt(low * high);
    const bool fits = cell_reynolds(c, s) <= reynolds && estimate_flow(c).peak_speed <= speed;
    if (fits)
      high = c.fluid.viscosity;
    else
      low = c.fluid.viscosity;
  }
  return high;
}

}  // namespace

Limits make_limits(const Case& c, const Scaling& s, const std::array<std::int32_t, 3>& extent) {
  Limits limits;
  for (const auto& opening : c.openings) limits.openings.push_back(limits_of(c, s, opening));
  const auto viscosity = [&](double tau) { return (tau - 0.5) / 3 * s.dx * s.dx / s.dt * c.fluid.density; };
  const double thin = lowest_viscosity(c, s, viscosity(validity::lowest_tau(c.lattice))),
               thick = viscosity(validity::highest_tau);
  limits.lowest_viscosity = std::min(rounded(thin, digit(thin, 3), true), c.fluid.viscosity);
  limits.highest_viscosity = std::max(rounded(thick, digit(thick, 3), false), c.fluid.viscosity);
  if (!c.has_one_viscosity()) limits.lowest_viscosity = limits.highest_viscosity = c.fluid.viscosity;  // not steerable
  const double crossing = std::sqrt(3.0) * *std::max_element(extent.begin(), extent.end()) * s.dt;
  limits.shortest_ramp = rounded(crossing, digit(crossing, 2), true);
  limits.default_ramp = rounded(4 * crossing, digit(4 * crossing, 2), true);
  limits.longest_ramp = rounded(1e9 * s.dt, digit(1e9 * s.dt, 2), false);
  return limits;
}

}  // namespace weft::flow
