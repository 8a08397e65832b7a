// SPDX-License-Identifier: BSD-3-Clause
#include "flow/check/pressure_range_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "flow/outlets/windkessel.hpp"
#include "flow/scaling/pressure_range.hpp"
#include "flow/scaling/validity.hpp"
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

}  // namespace weft::flow
