// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "flow/outlets/windkessel.hpp"
#include "flow/scaling/validity.hpp"
#include "flow/scaling/vessel_compartment.hpp"
#include "flow/set_up/findings.hpp"
#include "program/readable.hpp"

namespace weft::flow {

using namespace program;

namespace {

using validity::highest_deviation;
constexpr double advised_pressure_range = 0.04;  // of the density, a little below the warning's bound
constexpr double highest_stored = 0.1;           // of the inflow while the pressure rises
constexpr double mmhg_in_pascal = 133.322;

double half_pressure_range(const PressureRange& pressure_range, const Scaling& s) {
  return (pressure_range.beat_highest - pressure_range.beat_lowest) / 2 / s.pressure_unit();
}

bool is_good(const Case& c, const Scaling& s, double volume) {
  const auto pressure_range = expected_pressure_range(c, s, volume);
  return half_pressure_range(pressure_range, s) <= advised_pressure_range &&
         pressure_range.stored_share <= highest_stored;
}

/// The longest time step below the case's with which the pressure range is within its bounds; or none.
std::optional<double> time_step_for(const Case& c, Scaling s, double volume) {
  constexpr double shorter = 0.9;
  for (int i = 0; i < 40; ++i) {
    s.dt *= shorter;
    if (s.tau() < validity::lowest_tau(c.lattice)) return {};
    if (!is_good(c, s, volume)) continue;
    const double unit = std::pow(10.0, std::floor(std::log10(s.dt)) - 2);
    return std::floor(s.dt / unit) * unit;
  }
  return {};
}

std::string change_of(const Case& c, const Scaling& s, const Known& known) {
  const auto dt = time_step_for(c, s, known.volume);
  if (!dt) return "Use a finer surface.voxel: its shorter time step reduces the change.";
  const auto cost = known.volume > 0 ? fmt::format(" ({})", cost_with_time_step(c, *dt, known).text(s.dx)) : "";
  return fmt::format("Set lattice.time_step to {:.3g}{}.", *dt, cost);
}

}  // namespace

std::vector<Finding> find_pressure_range(const Case& c, const Scaling& s, const Known& known) {
  std::vector<Finding> findings;
  const auto pressure_range = expected_pressure_range(c, s, known.volume);
  const auto steady = steady_windkessels(c);
  const double middle = pressure_range.is_known ? (pressure_range.beat_lowest + pressure_range.beat_highest) / 2
                        : steady                ? steady->pressure
                                                : s.reference_pressure;
  const double away = std::abs(middle - s.reference_pressure) / s.pressure_unit();
  if (away > highest_deviation)
    findings.push_back(
        {away >= 1,
         fmt::format("The windkessels settle at about {0:.3g} Pa, which changes the lattice density by {1} % (above "
                     "{2:.0f} % the fluid is noticeably compressible). Start them there: initial = {0:.3g}.",
                     middle, decimals(100 * away, 1), 100 * highest_deviation)});
  if (!pressure_range.is_known) return findings;
  const double half = half_pressure_range(pressure_range, s);
  if (half > highest_deviation)
    findings.push_back(
        {half >= 1,
         fmt::format("The pressure varies from {:.3g} to {:.3g} mmHg in each beat, which changes the lattice density "
                     "by {} % to either side (above {:.0f} % the fluid is noticeably compressible). {}",
                     pressure_range.beat_lowest / mmhg_in_pascal, pressure_range.beat_highest / mmhg_in_pascal,
                     decimals(100 * half, 1), 100 * highest_deviation, change_of(c, s, known))});
  else if (pressure_range.stored_share > highest_stored)
    findings.push_back(
        {false, fmt::format("The compliance of the lattice's fluid is {:.2g} ml/mmHg (that of the "
                            "windkessels {:.2g}), so that it stores {:.0f} % of the inflow while the "
                            "pressure rises (above {:.0f} % pulses are rounder and later than in a "
                            "rigid vessel). {}",
                            1e6 * mmhg_in_pascal * pressure_range.lattice_compliance,
                            1e6 * mmhg_in_pascal * pressure_range.windkessel_compliance,
                            100 * pressure_range.stored_share, 100 * highest_stored, change_of(c, s, known))});
  return findings;
}

using namespace program;

namespace {

/// The mean over a period; without one over the times of the points.
double mean_over_points(const Table& table) {
  if (table.repeats_after() > 0 || table.points.size() < 2) return table.mean();
  double area = 0;
  for (std::size_t k = 1; k < table.points.size(); ++k) {
    const auto &a = table.points[k - 1], &b = table.points[k];
    area += (b[0] - a[0]) * (a[1] + b[1]) / 2;
  }
  return area / (table.points.back()[0] - table.points.front()[0]);
}

void check_sign(const OpeningCase& opening, std::vector<Finding>& findings) {
  if (opening.kind != lattice::OpeningState::Kind::velocity || opening.is(OpeningCase::Rule::share)) return;
  const bool is_inlet = opening.disc.kind == geometry::Opening::Kind::inlet;
  const double mean = mean_over_points(opening.value);
  constexpr double slack = 1e-6;  // of a waveform that only moves to and fro
  const bool is_reversed = (is_inlet ? -mean : mean) > slack * opening.value.largest_magnitude();
  if (opening.has_sign || !is_reversed) return;
  findings.push_back(
      {true,
       fmt::format("{} '{}' moves {:.3g} ml/s {} the vessel on average (positive is into the vessel). Set its sign to "
                   "\"outward\" if its {} values are meant as {}, or to \"inward\" if fluid does {} here.",
                   is_inlet ? "Inlet" : "Outlet", opening.disc.name, 1e6 * std::abs(mean) * opening.area(),
                   is_inlet ? "out of" : "into", is_inlet ? "negative" : "positive",
                   is_inlet ? "inflow, as in SimVascular's files" : "outflow", is_inlet ? "leave" : "enter")});
}

/// A table that goes up and down and ends near its beginning is a beat, and so is one of many points.
bool is_beat(const Table& table) {
  constexpr double largest_jump = 0.2;  // of the range of values
  constexpr std::size_t many = 8;
  const auto value = [](const auto& point) { return point[1]; };
  if (std::ranges::is_sorted(table.points, {}, value) || std::ranges::is_sorted(table.points, std::greater{}, value))
    return false;
  const double jump = std::abs(table.points.front()[1] - table.points.back()[1]);
  return table.points.size() >= many || jump <= largest_jump * (table.highest() - table.lowest());
}

void check_end(const OpeningCase& opening, double duration, std::vector<Finding>& findings) {
  const auto& table = opening.value;
  if (table.repeats_after() > 0 || table.points.size() < 3 || !is_beat(table)) return;
  const double end = table.points.back()[0], held = duration - end;
  if (held <= 1e-6 * duration) return;
  findings.push_back(
      {false, fmt::format("The waveform of '{}' ends at {} and has no period (its last value is held for the other {} "
                          "of the run). Set its period to \"{}\" if it is one beat.",
                          opening.disc.name, with_prefix(end, "s"), with_prefix(held, "s"),
                          with_prefix(end - table.points.front()[0], "s"))});
}

}  // namespace

std::vector<Finding> find_waveform_problems(const Case& c, const Scaling& scaling) {
  std::vector<Finding> findings;
  for (const auto& opening : c.openings) {
    check_sign(opening, findings);
    check_end(opening, scaling.time(steps_of(c, scaling)), findings);
  }
  return findings;
}

}  // namespace weft::flow
