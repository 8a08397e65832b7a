// SPDX-License-Identifier: BSD-3-Clause
#include "robustness/trial_mode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "openings/case_text.hpp"
#include "openings/find_openings.hpp"
#include "text/case_writer.hpp"
#include "weft/error.hpp"

namespace weft::robustness {

namespace {

using Ends = TrialMode::Ends;

constexpr double blood_density = 1060, blood_viscosity = 3.5e-3;  // as in the proposed cases
constexpr double mm = 1e-3;                                       // unit of the surface

/// Values over a periodic beat, or only the first one.
std::string values_text(const char* key, const std::vector<double>& values, double period, const char* unit) {
  text::CaseWriter out;
  if (values.size() == 1) {
    out.key(key, text::with_unit(values[0], unit));
  } else {
    std::vector<text::CaseValue> points;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double time = period * static_cast<double>(k) / static_cast<double>(values.size() - 1);
      const text::CaseValue point[] = {text::rounded(time, 5), text::rounded(values[k], 6)};
      points.push_back(text::list(point));
    }
    out.key(key, text::list(points));
    out.key("period", text::with_unit(period, "s"));
  }
  return out.text();
}

std::vector<double> scaled(std::vector<double> shape, double factor, double offset = 0) {
  for (auto& value : shape) value = factor * (value + offset);
  return shape;
}

struct Proposal {
  const openings::VesselAnalysis& found;
  openings::CaseChoices choices;
  openings::CaseFigures figures;
  std::vector<double> shape;  // flow / mean flow: one value, or those of a beat

  double area(std::size_t k) const { return found.openings[k].area * mm * mm; }
  double radius(std::size_t k) const { return found.openings[k].radius * mm; }
  bool is_outlet(std::size_t k) const { return choices.roles[k] == openings::Role::outlet; }

  // Prescribes a flow everywhere except at the largest outlet; with a single outlet, at the outlet and not at the
  // inlet.
  void prescribe_flows() {
    double cubes = 0;
    std::size_t outlets = 0, largest = 0;
    for (std::size_t k = found.openings.size(); k-- > 0;)
      if (is_outlet(k)) cubes += std::pow(radius(k), 3), ++outlets, largest = k;  // sorted, the largest first
    const std::size_t by_pressure = outlets == 1 ? choices.inlet : largest;
    for (std::size_t k = 0; k < found.openings.size(); ++k) {
      if (k == by_pressure)
        choices.conditions[k] = "pressure = \"0 mmHg\"\n";
      else if (is_outlet(k))
        choices.conditions[k] =
            values_text("flow", scaled(shape, -figures.flow * std::pow(radius(k), 3) / cubes), figures.period, "m^3/s");
    }
  }

  // Prescribes 0 at the outlets, and at the inlet a rough estimate of the pressure that drives the flow: Poiseuille's
  // loss in a tube between inlet and outlets over the vessel's extent, and the kinetic energy at the outlets. In a beat
  // the flow reverses for a part of it.
  void prescribe_pressures() {
    double out = 0;
    for (std::size_t k = 0; k < found.openings.size(); ++k)
      if (is_outlet(k)) out += area(k), choices.conditions[k] = "pressure = \"0 mmHg\"\n";
    using geometry::operator-;
    const double length = geometry::length(found.high - found.low) * mm;
    const double between = std::min(area(choices.inlet), out);
    const double loss = 8 * std::numbers::pi * blood_viscosity * length * figures.flow / (between * between);
    const double pressure = loss + blood_density / 2 * std::pow(figures.flow / between, 2);
    choices.conditions[choices.inlet] =
        values_text("pressure", scaled(shape, pressure, shape.size() > 1 ? -0.5 : 0), figures.period, "Pa");
  }
};

}  // namespace

const std::vector<TrialMode>& trial_modes() {
  static const std::vector<TrialMode> modes = [] {
    std::vector<TrialMode> all;
    const std::pair<const char*, Ends> ends[] = {{"murray", Ends::murray},
                                                 {"pressure", Ends::pressure},
                                                 {"windkessel", Ends::windkessel},
                                                 {"flows", Ends::flows},
                                                 {"pressures", Ends::pressures}};
    for (const bool pulse : {false, true})
      for (const auto& [name, kind] : ends)
        all.push_back({(pulse ? "pulse_" : "steady_") + std::string(name), kind, pulse});
    return all;
  }();
  return modes;
}

const TrialMode& trial_mode(std::string_view name) {
  std::string names;
  for (const auto& mode : trial_modes()) {
    if (mode.name == name) return mode;
    names += (names.empty() ? "" : ", ") + mode.name;
  }
  throw InputError(fmt::format("--modes has '{}'. Use some of {}.", name, names), true);
}

openings::VesselAnalysis analyse(const phantom::MadeVessel& vessel) {
  auto surface = vessel.surface;
  for (auto& v : surface.vertices)
    for (auto& x : v) x = static_cast<float>(x / mm);  // in the unit and precision of the file
  return openings::find_openings(surface);
}

std::string mode_case(const phantom::MadeVessel& vessel, const openings::VesselAnalysis& found, const TrialMode& mode) {
  Proposal p{.found = found, .choices = {}, .figures = {}, .shape = {1}};
  auto& c = p.choices;
  c.title = vessel.name + ", " + mode.name;
  c.surface_file = "vessel.stl";
  c.roles = openings::roles_of(found, {});
  c.inlet = static_cast<std::size_t>(std::ranges::find(c.roles, openings::Role::inlet) - c.roles.begin());
  c.conditions.resize(found.openings.size());
  c.outlets = mode.ends == Ends::windkessel ? openings::CaseChoices::Outlets::windkessel
              : mode.ends == Ends::pressure ? openings::CaseChoices::Outlets::pressure
                                            : openings::CaseChoices::Outlets::murray;
  c.pulse = mode.pulse;
  c.beats = 1;
  const double radius = found.openings.at(c.inlet).radius * mm;
  const double peak = mode.pulse ? openings::peak_of_inlet(radius) : 1;
  c.flow = vessel.highest_reynolds / peak * blood_viscosity / blood_density / (2 * radius) * std::numbers::pi * radius *
           radius;
  p.figures = openings::figures_of(found, c);
  if (mode.pulse) p.shape = openings::heartbeat(peak);
  if (mode.ends == Ends::flows) p.prescribe_flows();
  if (mode.ends == Ends::pressures) p.prescribe_pressures();
  return openings::case_text(found, c);
}

}  // namespace weft::robustness
