// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace weft::hemelb {

using geometry::operator*, geometry::operator+;
using geometry::Vector;

namespace {

// HemeLB's fields and weft's names for them.
constexpr std::array<std::array<std::string_view, 2>, 7> field_names{
    {{"velocity", "velocity"},
     {"pressure", "pressure"},
     {"vonmisesstress", "von_mises"},
     {"shearstress", "wall_shear_stress"},
     {"tangentialprojectiontraction", "wall_shear_stress"},
     {"shearrate", "shear_rate"},
     {"stresstensor", "stress"}}};

/// Each known field once, with its element; unknown ones are not taken.
std::vector<std::pair<std::string, pugi::xml_node>> known_fields(pugi::xml_node output) {
  std::vector<std::pair<std::string, pugi::xml_node>> known;
  for (const auto field : output.children("field"))
    for (const auto& [theirs, ours] : field_names)
      if (std::string_view(field.attribute("type").value()) == theirs) known.emplace_back(ours, field);
  return known;
}

/// Takes the field of ranks: the rank is in every file of fields.
void take_ranks(XmlReader& xml, pugi::xml_node output) {
  for (const auto field : output.children("field"))
    if (std::string_view(field.attribute("type").value()) == "mpirank") xml.take(field);
}

std::vector<std::string> take_quantities(XmlReader& xml, pugi::xml_node output) {
  std::vector<std::string> quantities;
  take_ranks(xml, output);
  for (const auto& [name, field] : known_fields(output)) {
    xml.take(field);
    if (std::find(quantities.begin(), quantities.end(), name) == quantities.end()) quantities.push_back(name);
  }
  return quantities;
}

Vector place(XmlReader& xml, pugi::xml_node element, const HemelbCase& c) {
  std::string unit;
  auto point = xml.vector_of(element, {{"m"}, {"lattice"}}, unit);
  if (unit == "lattice") point = c.first_site + c.voxel * point;
  if (!std::isfinite(geometry::length(point)))
    xml.fail(element, "The point lies too far away (its distance in metres is not a finite number). Correct it.");
  return point;
}

// The letters, digits, _ and - of the file's name without its ending; a number if another output has the same name.
std::string name_of(const std::string& file, const std::vector<HemelbExtract>& others) {
  std::string name;
  for (const char ch : file.substr(0, file.find_last_of('.'))) {
    const bool is_good =
        (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '-';
    name += is_good ? ch : '_';
  }
  constexpr std::size_t most = 64;
  name.resize(std::min(name.size(), most));
  const auto is_taken = [&](const std::string& n) {
    return n.empty() || n == "fields" || n == "monitors" || n == "ranks" || n.starts_with("checkpoint") ||
           std::any_of(others.begin(), others.end(), [&](const auto& e) { return e.name == n; });
  };
  if (!is_taken(name)) return name;
  std::size_t number = others.size();
  auto other = name;
  do other = fmt::format("extract{}_{}", number++, name.starts_with("checkpoint") ? "of_" + name : name);
  while (is_taken(other));
  return other;
}

HemelbExtract read_extract(XmlReader& xml, pugi::xml_node output, const std::string& type, const HemelbCase& c) {
  HemelbExtract result;
  const auto geometry = xml.child(output, "geometry");
  // HemeLB uses the sites beside the wall within the diagonal of a voxel.
  const bool is_on_surface = type == "surfacepoint";
  result.shape = is_on_surface ? "surface" : type;
  if (is_on_surface) result.radius = std::sqrt(3.0) * c.voxel;
  const auto points = xml.children(geometry, "point");
  const std::size_t wanted = type == "line" ? 2 : type == "plane" || type == "surfacepoint" ? 1 : 0;
  if (points.size() != wanted)
    xml.fail(geometry,
             fmt::format("The geometry has {} points (a {} has {}). Correct it.", points.size(), type, wanted));
  for (std::size_t k = 0; k < points.size(); ++k) (k == 0 ? result.at : result.to) = place(xml, points[k], c);
  if (type == "plane") {
    std::string unit;
    result.normal = xml.vector(geometry, "normal", {{"dimensionless"}}, unit);
    const double length = geometry::length(result.normal);
    if (!(length >= 1e-15 && length <= 1e15))
      xml.fail(geometry.child("normal"), "The normal has no usable length (allowed: 1e-15 to 1e15). Correct it.");
    if (geometry.child("radius")) result.radius = xml.positive(geometry, "radius", {{"m"}, {"lattice", c.voxel}});
  }
  return result;
}

}  // namespace

namespace {

/// All inlets, or all outlets: one plane each, half a voxel into the fluid.
void read_openings_output(XmlReader& xml, pugi::xml_node output, geometry::Opening::Kind kind, HemelbCase& c) {
  xml.take(output);
  xml.child(output, "geometry");
  const auto every = xml.whole(output, "period", 1);
  const auto quantities = take_quantities(xml, output);
  const std::string file = output.attribute("file").value();
  const auto stem = file.substr(0, file.find_last_of('.'));
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    const auto& disc = c.openings[k].disc;
    if (disc.kind != kind) continue;
    HemelbExtract extract{.name = name_of(stem + "_" + disc.name + ".dat", c.extracts),
                          .shape = "plane",
                          .at = disc.centre + 0.5 * c.voxel * disc.normal,
                          .normal = disc.normal,
                          .of_opening = k,
                          .every = every,
                          .quantities = quantities};
    c.extracts.push_back(std::move(extract));
  }
}

}  // namespace

void read_outputs(XmlReader& xml, pugi::xml_node root, HemelbCase& c) {
  const auto properties = xml.child(root, "properties");
  for (const auto output : properties.children("propertyoutput")) {
    const std::string type = output.child("geometry").attribute("type").value();
    if ((type == "inlet" || type == "outlet") && !known_fields(output).empty()) {
      read_openings_output(xml, output,
                           type == "inlet" ? geometry::Opening::Kind::inlet : geometry::Opening::Kind::outlet, c);
      continue;
    }
    static constexpr std::array shapes = {"whole", "surface", "plane", "line", "surfacepoint"};
    if (std::find(shapes.begin(), shapes.end(), std::string_view(type)) == shapes.end() || known_fields(output).empty())
      continue;
    xml.take(output);
    const auto every = xml.whole(output, "period", 1);
    if (type == "whole" && !c.output_every) {
      xml.child(output, "geometry");
      c.output_every = every;
      c.output_quantities = take_quantities(xml, output);
      continue;
    }
    auto extract = read_extract(xml, output, type, c);
    extract.every = every;
    extract.quantities = take_quantities(xml, output);
    extract.name = name_of(output.attribute("file").value(), c.extracts);
    c.extracts.push_back(std::move(extract));
  }
  if (const auto checkpoint = xml.child(properties, "checkpoint"))
    c.checkpoint_every = xml.whole(checkpoint, "period", 1);
}

}  // namespace weft::hemelb
