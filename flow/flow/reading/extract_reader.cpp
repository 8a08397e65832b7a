// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "flow/reading/sections.hpp"

namespace weft::flow {

using program::Dimension;
using program::Range;

Every read_every(const program::SectionReader& in) {
  Every result;
  const auto* every = in.find("every");
  if (every == nullptr) return result;
  if (std::holds_alternative<std::int64_t>(every->data)) {
    if (const auto steps = in.whole_number("every", 0); steps > 0) result.every_steps = steps;
  } else if (const auto seconds = in.quantity("every", Dimension::time, Range::not_negative); seconds > 0) {
    result.every_seconds = seconds;
  }
  return result;
}

using namespace program;

namespace {

using Shape = ExtractCase::Shape;
using Format = ExtractCase::Format;

/// Reads an optional list of sections. `read(section, number)` returns an item with a name; throws if two have the same
/// name.
template <class Item, class Read>
std::vector<Item> read_list(const SectionReader& document, const std::string& word, const Read& read) {
  std::vector<Item> result;
  const auto* value = document.find(word);
  if (value == nullptr) return result;
  const auto* list = std::get_if<List>(&value->data);
  if (list == nullptr)
    fail(*value, fmt::format("{} is {}. Write [[{}]], once for each.", word, type_name(*value), word));
  std::map<std::string, std::string> places;
  for (std::size_t k = 0; k < list->size(); ++k) {
    const auto& section = (*list)[k];
    auto item = read(section, k);
    const auto [entry, is_new] = places.emplace(item.name, section.where);
    if (!is_new)
      fail(section, fmt::format("Two {}s are called '{}' (the other one: {}). Give each its own name.", word, item.name,
                                entry->second));
    result.push_back(std::move(item));
  }
  return result;
}

std::vector<std::string> wall_quantity_names() {
  std::vector<std::string> names;
  for (const auto& t : all_quantities())
    if (t.quantity == FieldQuantity::pressure || t.of_wall) names.emplace_back(t.name);
  return names;
}

std::vector<std::string> keys_of(Shape shape) {
  std::vector<std::string> keys = {"name", "shape", "every"};
  if (shape == Shape::centreline)
    keys.emplace_back("spacing");
  else
    keys.emplace_back("quantities");
  if (shape == Shape::triangles)
    keys.emplace_back("unit");
  else if (shape != Shape::centreline)
    keys.emplace_back("format");
  if (shape == Shape::plane) keys.insert(keys.end(), {"centre", "normal", "radius"});
  if (shape == Shape::surface) keys.insert(keys.end(), {"centre", "radius"});
  if (shape == Shape::line) keys.insert(keys.end(), {"from", "to"});
  if (shape == Shape::point) keys.emplace_back("at");
  return keys;
}

Shape read_shape(const Value& section) {
  static const std::vector<std::string> all = {"name",   "shape", "every", "quantities", "format",  "centre", "normal",
                                               "radius", "from",  "to",    "at",         "spacing", "unit"};
  const SectionReader in(section, "in [[extract]]", all);
  return in.choice("shape", extract_shape_names);
}

ExtractCase read_extract(const Value& section, std::size_t number, double metres_per_unit) {
  const auto shape = read_shape(section);
  const SectionReader in(section, fmt::format("in [[extract]] of shape {}", name_of(shape)), keys_of(shape));
  ExtractCase result;
  static_cast<Every&>(result) = read_every(in);
  result.shape = shape;
  result.name = read_name(in, fmt::format("{}{}", name_of(shape), number), "files");
  if (result.name == "fields" || result.name == "monitors" || result.name == "ranks" ||
      result.name.starts_with("checkpoint"))
    fail(*in.find("name"), fmt::format("{} is '{}' (another output uses this name). Give it another name.",
                                       in.title("name"), result.name));
  if (shape == Shape::centreline) {
    result.format = Format::csv;
    if (in.has("spacing"))
      result.spacing = in.quantity("spacing", Dimension::length, Range::positive, {}, metres_per_unit);
    return result;
  }
  if (shape == Shape::triangles) {
    static constexpr Names<bool> units("unit", {{false, "m"}, {true, "surface"}});
    if (in.choice("unit", units, false)) result.metres_per_unit = metres_per_unit;
  } else {
    static constexpr Names<Format> formats("format", {{Format::vtkhdf, "vtkhdf"}, {Format::csv, "csv"}});
    const bool is_small = shape == Shape::line || shape == Shape::point;
    result.format = in.choice("format", formats, is_small ? Format::csv : Format::vtkhdf);
  }
  const bool is_part_of_surface = shape == Shape::surface && (in.has("centre") || in.has("radius"));
  if (shape == Shape::plane || is_part_of_surface) result.at = in.vector("centre", metres_per_unit);
  if (shape == Shape::plane)
    result.normal = geometry::normalised(in.direction("normal", "a normal, for example [0, 1, 0]"));
  if (is_part_of_surface || (shape == Shape::plane && in.has("radius")))
    result.radius = in.quantity("radius", Dimension::length, Range::positive, {}, metres_per_unit);
  if (shape == Shape::line) {
    result.at = in.vector("from", metres_per_unit);
    result.to = in.vector("to", metres_per_unit);
  }
  if (shape == Shape::point) result.at = in.vector("at", metres_per_unit);
  const bool is_wall = shape == Shape::surface || shape == Shape::triangles;
  result.quantities =
      read_quantities(in, is_wall ? std::vector{FieldQuantity::pressure, FieldQuantity::wall_shear_stress}
                                  : std::vector{FieldQuantity::pressure, FieldQuantity::velocity});
  if (shape == Shape::triangles)
    for (const auto quantity : result.quantities)
      if (quantity != FieldQuantity::pressure && !traits(quantity).of_wall)
        fail(*in.find("quantities"),
             fmt::format("{} has '{}' (allowed on a wall: {}). Request it in an extract of another shape.",
                         in.title("quantities"), traits(quantity).name, joined(wall_quantity_names())));
  return result;
}

}  // namespace

std::vector<FieldQuantity> read_quantities(const SectionReader& in, std::vector<FieldQuantity> fallback) {
  const auto* value = in.find("quantities");
  if (value == nullptr) return fallback;
  const auto* list = std::get_if<List>(&value->data);
  if (list == nullptr || list->empty())
    fail(*value, fmt::format("{} is {}. Give a list of: {}.", in.title("quantities"),
                             list == nullptr ? type_name(*value) : "empty", joined(field_quantity_names())));
  std::vector<FieldQuantity> result;
  for (const auto& item : *list) {
    const auto* text = std::get_if<std::string>(&item.data);
    const auto& names = field_quantity_names();
    const auto quantity = text == nullptr ? std::nullopt : find_quantity(*text);
    if (!quantity)
      fail(item, fmt::format("{} has {} (allowed: {}).{}", in.title("quantities"),
                             text == nullptr ? std::string(type_name(item)) : "'" + *text + "'", joined(names),
                             text == nullptr ? "" : suggestion(*text, names)));
    if (std::find(result.begin(), result.end(), *quantity) != result.end())
      fail(item, fmt::format("{} has '{}' twice. Remove one of them.", in.title("quantities"), *text));
    result.push_back(*quantity);
  }
  return result;
}

std::vector<ExtractCase> read_extracts(const SectionReader& document, double metres_per_unit) {
  return read_list<ExtractCase>(document, "extract", [&](const Value& section, std::size_t number) {
    return read_extract(section, number, metres_per_unit);
  });
}

std::vector<SectionCase> read_sections(const SectionReader& document, double metres_per_unit) {
  return read_list<SectionCase>(document, "section", [&](const Value& section, std::size_t number) {
    const SectionReader in(section, "in [[section]]", {"name", "centre", "normal", "radius"});
    return SectionCase{.name = read_name(in, fmt::format("section{}", number), "columns of a table"),
                       .centre = in.vector("centre", metres_per_unit),
                       .normal = geometry::normalised(in.direction("normal", "a normal, for example [0, 1, 0]")),
                       .radius = in.quantity("radius", Dimension::length, Range::positive, {}, metres_per_unit)};
  });
}

AverageCase read_average(const Value& section) {
  const SectionReader in(section, "in [average]", {"every", "start"});
  AverageCase result;
  static_cast<Every&>(result) = read_every(in);
  if (!result.is_given() && in.has("every"))
    fail(*in.find("every"),
         fmt::format("{} is 0. Give a time, or a whole number of steps of at least 1.", in.title("every")));
  if (!result.is_given()) result.every_steps = AverageCase::usual_steps;
  result.start = in.quantity("start", Dimension::time, Range::not_negative, 0);
  return result;
}

}  // namespace weft::flow
