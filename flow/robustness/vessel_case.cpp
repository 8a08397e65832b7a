// SPDX-License-Identifier: BSD-3-Clause
#include "robustness/vessel_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <system_error>

#include "geometry/read_surface.hpp"
#include "text/case_writer.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::robustness {

using text::with_unit;
using geometry::operator*;

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

// Rounds to so many decimals.
double decimal(double x, double unit) { return std::round(x / unit) * unit; }

text::CaseValue place(const geometry::Vector& v) {
  return text::list({decimal(v[0], 1e-5), decimal(v[1], 1e-5), decimal(v[2], 1e-5)}, 9);
}

void write_opening(text::CaseWriter& out, const geometry::Opening& opening, const char* table) {
  out.entry(table);
  out.key("name", opening.name);
  out.key("centre", place(1e3 * opening.centre));
  out.key("normal", place(opening.normal));
  out.key("radius", text::rounded(decimal(1e3 * opening.radius, 1e-4), 9));
}

void write_windkessel(text::CaseWriter& out, const geometry::Opening& opening, double flow) {
  const double area = std::numbers::pi * opening.radius * opening.radius, total = mean_pressure / flow;
  // The characteristic impedance of the artery behind the outlet, at most a fifth of its resistance.
  const double proximal = std::min(density * wave_speed / area, 0.2 * total), distal = total - proximal;
  const double unit = mmhg / ml;
  out.key("windkessel", text::table({{"resistance", with_unit(distal / unit, "mmHg s/ml", 5)},
                                     {"capacitance", with_unit(decay / distal * unit, "ml/mmHg", 5)},
                                     {"proximal", with_unit(proximal / unit, "mmHg s/ml", 5)}}));
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
  text::CaseWriter out;
  out.comment(
      fmt::format("Made by weft bench robustness: mean Reynolds number {:.4g}, highest {:.4g}, mean flow {:.4g} ml/s.",
                  vessel.mean_reynolds, vessel.highest_reynolds, flow / ml));
  out.key("title", vessel.name);
  out.section("surface");
  out.key("file", "vessel.stl");
  out.key("unit", "mm");
  out.key("voxel", with_unit(1e3 * vessel.voxel * options.coarsen, "mm", 5));
  write_opening(out, vessel.openings.front(), "inlet");
  out.key("flow", "inflow.csv");
  out.key("period", with_unit(vessel.period, "s"));
  double cubes = 0;
  for (const auto& o : vessel.openings)
    if (o.kind == geometry::Opening::Kind::outlet) cubes += std::pow(o.radius, 3);
  for (const auto& o : vessel.openings) {
    if (o.kind != geometry::Opening::Kind::outlet) continue;
    write_opening(out, o, "outlet");
    write_windkessel(out, o, flow * std::pow(o.radius, 3) / cubes);
  }
  out.section("run");
  out.key("duration", with_unit(vessel.period * options.beats, "s"));
  return out.text();
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  WholeFile out(file);
  out.stream() << text;
  out.finish();
}

std::filesystem::path write_vessel(const phantom::MadeVessel& vessel, const std::filesystem::path& folder,
                                   const VesselCaseOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError(folder.string() + ": This folder can't be created (" + error.message() +
                     "). Choose another folder.");
  geometry::write_stl(folder / "vessel.stl", vessel.surface);
  std::string rows = "time [s], flow [ml/s]\n";
  for (const auto& [time, flow] : inflow_of(vessel)) rows += fmt::format("{:.6g}, {:.8g}\n", time, flow / ml);
  write_text(folder / "inflow.csv", rows);
  write_text(folder / "case.toml", case_text(vessel, options));
  return folder / "case.toml";
}

}  // namespace weft::robustness
