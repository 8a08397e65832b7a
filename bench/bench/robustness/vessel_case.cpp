// SPDX-License-Identifier: BSD-3-Clause
#include "bench/robustness/vessel_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <system_error>

#include "bench/workload/surface_file.hpp"
#include "weft/error.hpp"

namespace weft::bench {

using geometry::Vector;
using geometry::operator-, geometry::operator*;
using geometry::cross, geometry::normalised;

namespace {

constexpr double density = 1060, viscosity = 3.5e-3;  // weft flow's defaults
constexpr double mmhg = 133.322387415, ml = 1e-6;
constexpr double mean_pressure = 93 * mmhg;
constexpr double decay = 1.5;       // s, time constant of the pressure in diastole: resistance x capacitance
constexpr double wave_speed = 6.0;  // m/s, pulse wave velocity in an artery, for the characteristic impedance

// A bump that repeats with each beat; `phase`, `place` and `width` are fractions of a beat.
double bump(double phase, double place, double width) {
  double sum = 0;
  for (const int beat : {-1, 0, 1}) sum += std::exp(-0.5 * std::pow((phase - place + beat) / width, 2));
  return sum;
}

// Systole, followed by the closing of the valve and the reflection of the periphery; dimensionless.
double shape(phantom::MadeVessel::Pulse pulse, double phase) {
  if (pulse == phantom::MadeVessel::Pulse::aortic)
    return bump(phase, 0.2, 0.07) - 0.25 * bump(phase, 0.42, 0.07) + 0.06 * bump(phase, 0.62, 0.08);
  return bump(phase, 0.16, 0.055) + 0.4 * bump(phase, 0.36, 0.09) + 0.12 * bump(phase, 0.55, 0.12);
}

double flow_of(const phantom::MadeVessel& vessel, double reynolds) {
  const double radius = vessel.openings.front().radius;
  return reynolds * viscosity / density / (2 * radius) * std::numbers::pi * radius * radius;
}

std::string places(const Vector& v, double unit) {
  return fmt::format("[{:.5f}, {:.5f}, {:.5f}]", v[0] / unit, v[1] / unit, v[2] / unit);
}

std::string opening_text(const geometry::Opening& opening, const char* table) {
  return fmt::format("\n[[{}]]\nname = \"{}\"\ncentre = {}\nnormal = {}\nradius = {:.4f}\n", table, opening.name,
                     places(opening.centre, 1e-3), places(opening.normal, 1), opening.radius / 1e-3);
}

std::string windkessel_text(const geometry::Opening& opening, double flow) {
  const double area = std::numbers::pi * opening.radius * opening.radius, total = mean_pressure / flow;
  // The characteristic impedance of the artery behind the outlet, at most a fifth of its resistance.
  const double proximal = std::min(density * wave_speed / area, 0.2 * total), distal = total - proximal;
  const double unit = mmhg / ml;
  return fmt::format(
      "windkessel = {{resistance = \"{:.5g} mmHg s/ml\", capacitance = \"{:.5g} ml/mmHg\", proximal = \"{:.5g} mmHg "
      "s/ml\"}}\n",
      distal / unit, decay / distal * unit, proximal / unit);
}

}  // namespace

std::vector<std::array<double, 2>> inflow_of(const phantom::MadeVessel& vessel) {
  constexpr int rows = 100;
  std::vector<double> form(rows);
  for (int k = 0; k < rows; ++k) form[static_cast<std::size_t>(k)] = shape(vessel.pulse, static_cast<double>(k) / rows);
  double mean = 0;
  for (const double f : form) mean += f / rows;
  const double highest = *std::max_element(form.begin(), form.end());
  const double pressure_range = (vessel.highest_reynolds - vessel.mean_reynolds) / (highest - mean);
  std::vector<std::array<double, 2>> table;
  for (int k = 0; k <= rows; ++k)
    table.push_back(
        {vessel.period * k / rows,
         flow_of(vessel, vessel.mean_reynolds + pressure_range * (form[static_cast<std::size_t>(k % rows)] - mean))});
  return table;
}

std::string case_text(const phantom::MadeVessel& vessel, const VesselCaseOptions& options) {
  const double flow = flow_of(vessel, vessel.mean_reynolds);
  auto text = fmt::format(
      "# Made by weft bench robustness: mean Reynolds number {:.4g}, highest {:.4g}, mean flow {:.4g} ml/s.\n"
      "title = \"{}\"\n\n[surface]\nfile = \"vessel.stl\"\nunit = \"mm\"\nvoxel = \"{:.5g} mm\"\n",
      vessel.mean_reynolds, vessel.highest_reynolds, flow / ml, vessel.name, vessel.voxel * options.coarsen / 1e-3);
  text += opening_text(vessel.openings.front(), "inlet");
  text += fmt::format("flow = \"inflow.csv\"\nperiod = \"{:.6g} s\"\n", vessel.period);
  double cubes = 0;
  for (const auto& o : vessel.openings)
    if (o.kind == geometry::Opening::Kind::outlet) cubes += std::pow(o.radius, 3);
  for (const auto& o : vessel.openings)
    if (o.kind == geometry::Opening::Kind::outlet)
      text += opening_text(o, "outlet") + windkessel_text(o, flow * std::pow(o.radius, 3) / cubes);
  return text + fmt::format("\n[run]\nduration = \"{:.6g} s\"\n", vessel.period * options.beats);
}

std::filesystem::path write_vessel(const phantom::MadeVessel& vessel, const std::filesystem::path& folder,
                                   const VesselCaseOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError(folder.string() + ": This folder can't be created (" + error.message() +
                     "). Choose another folder.");
  write_stl(folder / "vessel.stl", vessel.surface);
  std::string rows = "time [s], flow [ml/s]\n";
  for (const auto& [time, flow] : inflow_of(vessel)) rows += fmt::format("{:.6g}, {:.8g}\n", time, flow / ml);
  write_text(folder / "inflow.csv", rows);
  write_text(folder / "case.toml", case_text(vessel, options));
  return folder / "case.toml";
}

}  // namespace weft::bench
