// SPDX-License-Identifier: BSD-3-Clause
#include "flow/opening_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <string>

#include "flow/waveform_reader.hpp"

namespace weft::flow {

using namespace program;

namespace {

using OpeningKind = lattice::OpeningState::Kind;
using geometry::operator*;

std::string opening_name(const SectionReader& in, const std::string& fallback) {
  const auto name = in.text("name", fallback);
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (!std::all_of(name.begin(), name.end(), allowed))
    fail(*in.find("name"), fmt::format("{} is '{}' (it names columns of a table). use letters, digits, _ and - only.",
                                       in.title("name"), name));
  return name;
}

OpeningCase read_opening(const Value& section, geometry::Opening::Kind end, std::size_t number,
                         double metres_per_unit, const std::filesystem::path& folder) {
  const std::string word = end == geometry::Opening::Kind::inlet ? "inlet" : "outlet";
  const SectionReader in(section, fmt::format("in [[{}]]", word),
                         {"name", "centre", "normal", "radius", "velocity", "flow", "pressure", "period"});
  OpeningCase result;
  result.disc.kind = end;
  result.disc.name = opening_name(in, fmt::format("{}{}", word, number));
  result.disc.centre = metres_per_unit * in.vector("centre");
  const auto normal = in.vector("normal");
  if (!(geometry::length(normal) > 0))
    fail(*in.find("normal"), fmt::format("{} has no length. give the direction into the fluid.", in.title("normal")));
  result.disc.normal = geometry::normalised(normal);
  result.disc.radius = in.quantity("radius", Dimension::length, Range::positive, {}, metres_per_unit);

  const auto key = in.exactly_one_of({"velocity", "flow", "pressure"});
  const double area = std::numbers::pi * result.disc.radius * result.disc.radius;
  result.kind = key == "pressure" ? OpeningKind::pressure : OpeningKind::velocity;
  if (key == "pressure") result.value = read_waveform(in, key, Dimension::pressure, 1, folder);
  if (key == "velocity") result.value = read_waveform(in, key, Dimension::velocity, 1, folder);
  if (key == "flow") result.value = read_waveform(in, key, Dimension::flow, 1 / area, folder);
  return result;
}

}  // namespace

std::vector<OpeningCase> read_openings(const SectionReader& document, const Value& root, double metres_per_unit,
                                       const std::filesystem::path& folder) {
  std::vector<OpeningCase> result;
  std::map<std::string, std::string> places;
  for (const auto end : {geometry::Opening::Kind::inlet, geometry::Opening::Kind::outlet}) {
    const std::string word = end == geometry::Opening::Kind::inlet ? "inlet" : "outlet";
    const auto* value = document.find(word);
    if (value == nullptr) continue;
    const auto* list = std::get_if<List>(&value->data);
    if (list == nullptr)
      fail(*value, fmt::format("{} is {}. write [[{}]], once for each.", word, type_name(*value), word));
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto& section = (*list)[i];
      auto opening = read_opening(section, end, i, metres_per_unit, folder);
      const auto [entry, is_new] = places.emplace(opening.disc.name, section.where);
      if (!is_new)
        fail(section, fmt::format("two openings are called '{}' (the other one: {}). give each its own name.",
                                  opening.disc.name, entry->second));
      result.push_back(std::move(opening));
    }
  }
  if (result.empty()) fail(root, "there is neither an [[inlet]] nor an [[outlet]] (nothing would flow). add one.");
  return result;
}

}  // namespace weft::flow
