// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "flow/outlets/windkessel.hpp"
#include "geometry/units.hpp"
#include "program/readable.hpp"

namespace weft::flow {

using namespace program;

namespace {

using OpeningKind = lattice::OpeningState::Kind;

// The given unit is doubted only if no vessel has such a length, from a capillary to all arteries together. The unit
// that is proposed instead is the one that fits most vessels (geometry::likely_unit).
constexpr double longest_vessel = 3, shortest_vessel = 20e-6;  // m
constexpr double fastest_blood = 20;                           // m/s; a jet through a narrow valve reaches 6
constexpr double highest_pressure = 1e5;                       // Pa above ambient, 750 mmHg
constexpr double unlikely_mmhg = 133.322;
constexpr double most_steps = 1e12;  // on the fastest lattice a year and more

/// "14 m"; from 1000 m on "2.3e+05 m".
std::string length_text(double metres) {
  return metres < 1000 ? with_prefix(metres, "m") : fmt::format("{:.3g} m", metres);
}

void look_at_length(const Case& c, const Known& known, std::vector<Finding>& findings) {
  if (!(known.longest > 0) || (known.longest < longest_vessel && known.longest > shortest_vessel)) return;
  const auto unit = geometry::likely_unit({.length = known.longest / c.surface.metres_per_unit});
  findings.push_back(
      {false, fmt::format("The vessel is {} long (vessels are {} to {} m long, so surface.unit is probably wrong). {}.",
                          length_text(known.longest), "20 um", longest_vessel,
                          unit ? fmt::format("Set surface.unit to \"{}\"", unit->name) : "Correct surface.unit")});
}

/// No vessel needs a disc that is wider than the vessel is long. A much wider disc is also thick, and would cut the
/// vessel everywhere.
void look_at_discs(const Case& c, const Known& known, std::vector<Finding>& findings) {
  for (const auto& opening : c.openings) {
    const auto& disc = opening.disc;
    if (!(known.longest > 0) || disc.radius <= known.longest) continue;
    findings.push_back({true, fmt::format("The disc of {} '{}' is {} wide (the vessel is {} long). Correct its radius.",
                                          disc.kind == geometry::Opening::Kind::inlet ? "inlet" : "outlet", disc.name,
                                          length_text(2 * disc.radius), length_text(known.longest))});
    return;
  }
}

void look_at_speeds(const Case& c, std::vector<Finding>& findings) {
  for (const auto& opening : c.openings) {
    if (opening.kind != OpeningKind::velocity || opening.is(OpeningCase::Rule::share)) continue;
    const double speed = opening.value.largest_magnitude();
    if (speed < fastest_blood) continue;
    findings.push_back(
        {false, fmt::format("{} '{}' prescribes {:.3g} m/s, which is {:.3g} ml/s through its disc of {} (blood is "
                            "never faster than about 7 m/s). Correct its velocity or flow, their units, or the radius.",
                            opening.disc.kind == geometry::Opening::Kind::inlet ? "Inlet" : "Outlet", opening.disc.name,
                            speed, 1e6 * speed * opening.area(), length_text(2 * opening.radius()))});
    return;
  }
}

void look_at_pressures(const Case& c, std::vector<Finding>& findings) {
  const auto say = [&](const std::string& what, double pressure, const std::string& change) {
    findings.push_back(
        {false, fmt::format("{} {:.3g} Pa, that is {:.3g} mmHg (pressures in a body are 0 to 300 mmHg). {}.", what,
                            pressure, pressure / unlikely_mmhg, change)});
  };
  for (const auto& opening : c.openings) {
    if (opening.kind != OpeningKind::pressure || !opening.is(OpeningCase::Rule::prescribed)) continue;
    const double low = opening.value.lowest(), high = opening.value.highest(),
                 most = std::abs(low) > std::abs(high) ? low : high;
    if (std::abs(most) < highest_pressure) continue;
    return say(fmt::format("'{}' prescribes", opening.disc.name), most, "Correct its pressure or the unit of it");
  }
  const auto steady = steady_windkessels(c);
  if (!steady || std::abs(steady->pressure) < highest_pressure) return;
  say(fmt::format("With a mean flow of {:.3g} ml/s the windkessels would reach", 1e6 * steady->flow), steady->pressure,
      "Correct the resistances or the inflow, their units, or surface.unit");
}

/// Resistances of a paper without their unit, which act as if the outlets had none.
void look_at_resistances(const Case& c, std::vector<Finding>& findings) {
  constexpr double negligible = 0.01, lowest = 1, highest = 300;  // mmHg
  constexpr std::pair<double, std::string_view> units[] = {
      {1e5, "dyn s/cm^5"}, {1e6, "Pa s/ml"}, {1e6 * unlikely_mmhg, "mmHg s/ml"}};
  const auto steady = steady_windkessels(c);
  if (!steady) return;
  const double rise = steady->rise / unlikely_mmhg;
  if (!(rise > 0) || rise > negligible) return;
  const auto* likely = std::ranges::find_if(  // the most frequent one first
      units, [&](const auto& unit) { return rise * unit.first > lowest && rise * unit.first < highest; });
  if (likely == std::end(units)) return;
  const OpeningCase* least = nullptr;
  for (const auto& opening : c.openings)
    if (opening.is(OpeningCase::Rule::windkessel) &&
        (least == nullptr || opening.windkessel.resistance < least->windkessel.resistance))
      least = &opening;
  // A slow flow has low pressures, too; but then the resistance is not small beside the vessel's.
  const double own = 16 * c.fluid.viscosity / (std::numbers::pi * std::pow(least->radius(), 3));  // of one diameter
  if (least->windkessel.resistance + least->windkessel.proximal > own) return;
  findings.push_back(
      {true, fmt::format("Outlet '{}' has a resistance of {:.4g} Pa s/m^3 (a mean flow of {:.3g} ml/s would raise the "
                         "pressure at the windkessels by only {:.2g} mmHg). Give resistances with their unit: if it is "
                         "{}, \"{:.4g} {}\", and the pressure rises by {:.3g} mmHg.",
                         least->disc.name, least->windkessel.resistance, 1e6 * steady->flow, rise, likely->second,
                         least->windkessel.resistance, likely->second, rise * likely->first)});
}

/// A capacitance of a paper without its unit, with which the pressure never follows the flow.
void look_at_capacitances(const Case& c, std::vector<Finding>& findings) {
  constexpr double longest = 300, least_usual = 0.02, most_usual = 20;  // s
  constexpr std::pair<double, std::string_view> units[] = {
      {1e-5, "cm^5/dyn"}, {1e-6, "ml/Pa"}, {1e-6 / unlikely_mmhg, "ml/mmHg"}};
  for (const auto& opening : c.openings) {
    const auto& w = opening.windkessel;
    const double time = w.resistance * w.capacitance;
    if (!opening.is(OpeningCase::Rule::windkessel) || !(time > longest)) continue;
    for (const auto& [factor, unit] : units) {
      if (time * factor < least_usual || time * factor > most_usual) continue;
      findings.push_back(
          {true,
           fmt::format("Outlet '{}' has a capacitance of {:.4g} m^3/Pa, so that its time constant is {:.3g} s (in "
                       "a body it is 0.1 to 10 s). Give capacitances with their unit: if it is {}, \"{:.4g} {}\", "
                       "and the time constant is {:.3g} s.",
                       opening.disc.name, w.capacitance, time, unit, w.capacitance, unit, time * factor)});
      return;
    }
  }
}

/// A fluid in CGS units (1.06 and 0.04) is as thin as a gas and as thick as syrup.
void look_at_fluid(const Case& c, std::vector<Finding>& findings) {
  constexpr double least_density = 0.5, most_density = 2, least_viscosity = 5e-3, most_viscosity = 0.5;
  const double density = c.fluid.density, viscosity = c.fluid.viscosity;
  if (density < least_density || density > most_density || viscosity < least_viscosity || viscosity > most_viscosity)
    return;
  findings.push_back({true, fmt::format("The fluid has a density of {0:.4g} kg/m^3 and a viscosity of {1:.4g} Pa s (no "
                                        "fluid has both). Give them with their units: if they are CGS, \"{0:.4g} "
                                        "g/cm^3\" and \"{1:.4g} P\".",
                                        density, viscosity)});
}

/// A waveform that jumps from its end to its beginning sends a shock through the vessel in each beat.
void look_at_wraps(const Case& c, std::vector<Finding>& findings) {
  constexpr double shortest_gap = 0.02, largest_jump = 0.2;  // of the period; of the range of values
  for (const auto& opening : c.openings) {
    const auto& table = opening.value;
    if (!(table.period > 0) || table.points.size() < 2) continue;
    const auto &first = table.points.front(), &last = table.points.back();
    const double gap = table.period - last[0] + first[0], jump = std::abs(first[1] - last[1]);
    if (gap > shortest_gap * table.period || jump <= largest_jump * (table.highest() - table.lowest())) continue;
    const char* unit = opening.kind == OpeningKind::pressure ? "Pa" : "m/s";
    findings.push_back(
        {false,
         fmt::format("The waveform of '{}' jumps from {:.4g} to {:.4g} {} at the end of its period of {} (each beat "
                     "would start with a shock). Make the last row equal to the first, or correct the period.",
                     opening.disc.name, last[1], first[1], unit, with_prefix(table.period, "s"))});
  }
}

void look_at_time_step(const Case& c, const Scaling& s, std::vector<Finding>& findings) {
  if (c.run.duration && *c.run.duration / s.dt > most_steps)
    findings.push_back(
        {true, fmt::format("The run's {} in steps of {} would be {:.3g} steps (they would take years). {}.",
                           with_prefix(*c.run.duration, "s"), with_prefix(s.dt, "s"), *c.run.duration / s.dt,
                           c.lattice.time_step ? "Remove lattice.time_step" : "Correct run.duration")});
}

}  // namespace

std::vector<Finding> find_unlikely(const Case& c, const Scaling& scaling, const Known& known) {
  std::vector<Finding> findings;
  look_at_length(c, known, findings);
  look_at_discs(c, known, findings);
  look_at_speeds(c, findings);
  look_at_pressures(c, findings);
  look_at_resistances(c, findings);
  look_at_capacitances(c, findings);
  look_at_fluid(c, findings);
  look_at_wraps(c, findings);
  look_at_time_step(c, scaling, findings);
  return findings;
}

std::vector<Finding> find_too_large(const Case& c, const Scaling& scaling, const Known& known) {
  if (!(known.volume > 0) || !(known.memory > 0)) return {};
  const auto cost = cost_of(c, scaling, known);
  if (!(cost.bytes > known.memory)) return {};
  const double fits = voxel_that_fits(c, known);
  const auto change = resolves(c, fits)
                          ? fmt::format("Set surface.voxel to \"{}\" or more ({}), correct", with_prefix(fits, "m"),
                                        cost_with_voxel(c, fits, known).text(fits))
                          : std::string("Correct");
  return {{true, fmt::format("A voxel of {} makes {} sites, which take {} (there are {} of memory). {} surface.unit, "
                             "or use more machines.",
                             with_prefix(scaling.dx, "m"), count_words(cost.sites), bytes_text(cost.bytes),
                             bytes_text(known.memory), change)}};
}

}  // namespace weft::flow
