// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "hemelb/condition.hpp"
#include "hemelb/xml.hpp"
#include "weft/error.hpp"

namespace weft::hemelb {

namespace {

using geometry::operator*, geometry::operator+;

constexpr std::int64_t most_steps = 1'000'000'000'000'000;  // the limit of a weft case

// The reason why an element can't be converted, by the end of its path.
std::string why(const std::string& path) {
  static const std::array reasons = std::to_array<std::array<std::string_view, 2>>({
      {"initialconditions/checkpoint", "weft can't restart from HemeLB's checkpoints; the flow starts at rest"},
      {"initialconditions/time", "a weft flow starts at 0 s"},
      {"simulation/elastic_wall_stiffness", "weft's walls are rigid"},
      {"simulation/boundary_velocity_ratio", "weft's walls are rigid"},
      {"simulation/smagorinsky_constant", "the import omits turbulence models: set lattice.smagorinsky"},
      {"simulation/fluid_density", "the import uses HemeLB's usual value: set fluid.density"},
      {"simulation/fluid_viscosity", "the import uses HemeLB's usual value: set fluid.viscosity"},
      {"bodyForces", "weft flow has no body forces"},
      {"boundaryConditions", "weft flow has conditions only at inlets and outlets, and none for particles"},
      {"visualisation", "weft has its own pictures: output.pictures, and a viewer"},
      {"monitoring/steady_flow_convergence",
       "weft uses another measure: monitor.tolerance, the relative change of the velocity per step"},
      {"propertyoutput",
       "weft lacks this shape or all of its fields; flow rates and pressures of openings are in monitors.csv"},
      {"propertyoutput/field", "weft lacks this quantity; docs/flow.md lists those that it has"},
      {"colloids", "weft flow has no particles"},
      {"particles", "weft flow has no particles"},
      {"redbloodcells", "weft flow has no cells"},
      {"flowextension", "weft flow has no cells"},
      {"insertcell", "weft flow has no cells"},
      {"condition/maximum", "the file's values are used unchanged"},
  });
  for (const auto& [end, reason] : reasons)
    if (path == end || path.ends_with(fmt::format("/{}", end))) return std::string(reason);
  return "weft does not support this element";
}

void read_simulation(XmlReader& xml, pugi::xml_node root, HemelbCase& c) {
  const auto simulation = xml.required(root, "simulation");
  std::string unit;
  c.time_step = xml.positive(simulation, "step_length", {{"s"}});
  c.steps = xml.whole(xml.required(simulation, "steps"), "value", 1);
  c.voxel = xml.positive(simulation, "voxel_size", {{"m"}});
  c.first_site = xml.vector(simulation, "origin", {{"m"}}, unit);
  if (simulation.child("extra_warmup_steps")) {
    c.warm_up_steps = xml.whole(xml.required(simulation, "extra_warmup_steps"), "value", 0);
    if (c.warm_up_steps > most_steps - c.steps)
      xml.fail(simulation.child("extra_warmup_steps"),
               fmt::format("The value is {} (too many steps). Give fewer.", c.warm_up_steps));
    c.steps += c.warm_up_steps;
  }
  if (const auto stress = xml.child(simulation, "stresstype"))
    c.assumed.push_back(
        {fmt::format("{} (line {})", xml.path(stress), xml.line(stress)),
         "it only selects what HemeLB's pictures show; output.quantities lists the available stresses"});
}

void read_start(XmlReader& xml, pugi::xml_node root, HemelbCase& c) {
  // taken, so that its other children are reported by their own names
  const auto start = xml.child(root, "initialconditions");
  const auto pressure = start.child("pressure");
  if (!pressure.child("uniform")) return;
  xml.take(pressure);
  c.initial_pressure = xml.number(pressure, "uniform", {{"mmHg", pascals_a_mmhg}, {"Pa"}});
}

// Reports the use of HemeLB's initial pressure.
void tell_start(const XmlReader& xml, pugi::xml_node root, HemelbCase& c) {
  const auto pressure = root.child("initialconditions").child("pressure");
  if (!pressure.child("uniform")) return;
  const bool has_windkessels =
      std::any_of(c.openings.begin(), c.openings.end(), [](const auto& o) { return o.value.windkessel.has_value(); });
  c.assumed.push_back(
      {fmt::format("{} (line {})", xml.path(pressure), xml.line(pressure)),
       fmt::format("{}the fluid begins at rest, at the middle of the range of the openings' initial pressures",
                   has_windkessels ? fmt::format("windkessels begin at {} Pa; ", c.initial_pressure) : "")});
}

// Each number of a condition is finite, but a combination of them may overflow or underflow.
void check_values(const XmlReader& xml, pugi::xml_node condition, const Prescribed& value) {
  if (const auto& cosine = value.cosine)
    if (!std::isfinite(std::abs(cosine->mean) + std::abs(cosine->amplitude)))
      xml.fail(condition, "The prescribed values are not finite. Correct them.");
  const auto& points = value.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i][0]) || !std::isfinite(points[i][1]))
      xml.fail(condition, fmt::format("The condition prescribes {} at {} s (not a finite number). Correct the values.",
                                      points[i][1], points[i][0]));
    if (i > 0 && points[i][0] <= points[i - 1][0])
      xml.fail(condition,
               fmt::format("The period is {} s (too short for {} points). Correct it.", value.period, points.size()));
  }
}

void read_openings(XmlReader& xml, pugi::xml_node root, geometry::Opening::Kind kind, HemelbCase& c) {
  const bool is_inlet = kind == geometry::Opening::Kind::inlet;
  const auto list = xml.child(root, is_inlet ? "inlets" : "outlets");
  std::size_t number = 0;
  for (const auto element : xml.children(list, is_inlet ? "inlet" : "outlet")) {
    HemelbOpening opening;
    opening.disc.kind = kind;
    opening.disc.name = fmt::format("{}{}", is_inlet ? "inlet" : "outlet", number++);
    std::string unit;
    opening.disc.centre = xml.vector(element, "position", {{"m"}, {"lattice"}}, unit);
    if (unit == "lattice") opening.disc.centre = c.first_site + c.voxel * opening.disc.centre;
    if (!std::isfinite(geometry::length(opening.disc.centre)))
      xml.fail(element.child("position"),
               "The position lies too far away (its distance in metres is not a finite number). Correct it.");
    const auto normal = xml.vector(element, "normal", {{"dimensionless"}}, unit);
    constexpr double least = 1e-15, most = 1e15;  // so that its square is finite, too
    if (const double length = geometry::length(normal); !(length >= least && length <= most))
      xml.fail(element.child("normal"),
               fmt::format("The normal has a length of {} (allowed: {:g} to {:g}). Give the direction into the fluid.",
                           length, least, most));
    opening.disc.normal = geometry::normalised(normal);
    const auto condition = xml.required(element, "condition");
    read_condition(xml, condition, c, opening);
    check_values(xml, condition, opening.value);
    c.openings.push_back(std::move(opening));
  }
}

}  // namespace

std::vector<geometry::Opening> HemelbCase::discs() const {
  std::vector<geometry::Opening> result;
  for (const auto& opening : openings) result.push_back(opening.disc);
  return result;
}

namespace {

// Reports the elements that were not converted, each by its own name, including forces and conditions of particles.
void tell_what_is_left(const XmlReader& xml, HemelbCase& c) {
  constexpr std::size_t most_told = 200;
  auto left = xml.left();
  for (std::size_t k = 0; k < left.size() && k < most_told; ++k)
    if (std::string_view(left[k].name()) == "colloids")
      for (const auto* name : {"bodyForces", "boundaryConditions"})
        if (const auto inner = left[k].child(name))
          left.insert(left.begin() + static_cast<std::ptrdiff_t>(k) + 1, inner);
  for (const auto element : std::span(left).first(std::min(left.size(), most_told))) {
    const auto path = xml.path(element);
    c.not_carried.push_back({.key = fmt::format("{} (line {})", path, xml.line(element)),
                             .why = why(path),
                             .is_harmless = path == "visualisation"});
  }
  if (left.size() > most_told)
    c.not_carried.push_back({fmt::format("{} more elements", left.size() - most_told), "only the first are listed"});
}

}  // namespace

HemelbCase read_case(const std::filesystem::path& file) {
  XmlReader xml(file);
  const auto root = xml.root();
  if (std::string_view(root.name()) != "hemelbsettings")
    xml.fail(root,
             "This is not a HemeLB case (the outermost element of a case is <hemelbsettings>). Give the XML file of a "
             "case.");
  HemelbCase c;
  c.file = file;
  c.version = xml.whole(root, "version", 0);
  if (c.version < 3 || c.version > 5)
    xml.fail(root, fmt::format("The version is {} (weft reads 3, 4 and 5). Convert the case with HemeLB's own tools.",
                               c.version));
  read_simulation(xml, root, c);
  c.gmy = file.parent_path() / xml.attribute(xml.required(xml.required(root, "geometry"), "datafile"), "path");
  c.read = {c.file, c.gmy};
  c.warnings = xml.warnings();
  c.assumed.push_back(
      {"HemeLB's compile-time options",
       fmt::format("the XML does not contain the collision, the walls or the blood's properties; assumed are BGK, "
                   "walls half-way between sites (simple bounce-back), {} kg/m^3 and {} Pa s",
                   blood_density, blood_viscosity)});
  read_start(xml, root, c);
  read_openings(xml, root, geometry::Opening::Kind::inlet, c);
  read_openings(xml, root, geometry::Opening::Kind::outlet, c);
  if (c.openings.empty()) xml.fail(root, "There is neither an <inlet> nor an <outlet> (nothing would flow). Add one.");
  tell_start(xml, root, c);
  read_outputs(xml, root, c);
  xml.child(xml.child(root, "monitoring"), "incompressibility");
  tell_what_is_left(xml, c);
  return c;
}

}  // namespace weft::hemelb
