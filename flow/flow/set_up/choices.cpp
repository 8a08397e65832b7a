// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "flow/set_up/case_text.hpp"
#include "geometry/units.hpp"
#include "program/section_reader.hpp"
#include "weft/error.hpp"

namespace weft::flow {

namespace {

using namespace program;
using Use = OpeningChoice::Use;
using Condition = OpeningChoice::Condition;

constexpr Names<Use> uses("use", {{Use::wall, "wall"}, {Use::inlet, "inlet"}, {Use::outlet, "outlet"}});
constexpr Names<Condition> conditions("condition", {{Condition::flow, "flow"},
                                                    {Condition::velocity, "velocity"},
                                                    {Condition::pressure, "pressure"},
                                                    {Condition::windkessel, "windkessel"},
                                                    {Condition::share, "share"}});
constexpr std::size_t most_openings = 1000, longest_name = 40, longest_title = 100;
constexpr double most_number = 1e9;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// Reads a name that is valid in a case, and as a file's name in the current folder.
std::string plain_name(const SectionReader& in, std::string_view key, std::string_view more) {
  auto name = in.text(key);
  const bool plain =
      std::ranges::all_of(name, [&](char c) { return is_letter_or_digit(c) || more.find(c) != more.npos; });
  if (name.empty() || name.size() > longest_name || !plain || name.front() == '.' || name.front() == '-')
    fail(in.required(key), fmt::format("{} is {}. Give 1 to {} letters, digits and {}, not beginning with '.' or '-'.",
                                       in.title(key), shown(name), longest_name, more));
  return name;
}

OpeningChoice opening_of(const Value& object, std::size_t number) {
  const SectionReader in(object, fmt::format("in opening {}", number + 1),
                         {"use", "name", "condition", "value", "pulse", "resistance", "capacitance", "proximal"});
  OpeningChoice result;
  result.use = in.choice("use", uses, Use::wall);
  result.name = plain_name(in, "name", "_-");
  result.condition = in.choice("condition", conditions, Condition::pressure);
  const bool of_outlet = result.condition == Condition::windkessel || result.condition == Condition::share;
  if (result.use == Use::inlet && of_outlet)
    fail(object,
         fmt::format("{} is an inlet with a {} (only an outlet can have it). Choose flow, velocity or pressure.",
                     result.name, name_of(result.condition)));
  result.value = in.number("value", -most_number, most_number, 0);
  result.pulse = in.text_or_empty("pulse");
  if (!result.pulse.empty() && find_pulse(result.pulse) == nullptr)
    fail(object, fmt::format("{} is {} (no pulse has this name). Give the name of a pulse that the page offers.",
                             in.title("pulse"), shown(result.pulse)));
  result.resistance = in.number("resistance", 0, most_number, 0);
  result.capacitance = in.number("capacitance", 0, most_number, 0);
  result.proximal = in.number("proximal", 0, most_number, 0);
  return result;
}

}  // namespace

const char* name_of(Use use) { return uses.of(use); }
const char* name_of(Condition condition) { return conditions.of(condition); }

Choices choices_of(const Value& object) {
  const SectionReader in(object, "in the set-up",
                         {"title", "file", "unit", "cells", "duration_s", "period_s", "viscosity_mpas", "openings"});
  Choices result;
  result.title = in.text("title");
  if (result.title.size() > longest_title)
    fail(object, fmt::format("The title has {} characters. Give 1 to {}.", result.title.size(), longest_title));
  result.file = plain_name(in, "file", "_-.");
  if (!result.file.ends_with(".toml") || result.file.size() == 5)
    fail(object, fmt::format("The case's file is called {} (its format is TOML). Give a name that ends in .toml.",
                             shown(result.file)));
  result.unit = geometry::surface_units.of(in.choice("unit", geometry::surface_units, 1e-3));
  result.cells = in.number("cells", 2, 1000);
  result.duration_s = in.number("duration_s", 1e-6, 1e6);
  result.period_s = in.number("period_s", 1e-3, 1e3);
  result.viscosity_mpas = in.number("viscosity_mpas", 1e-3, 1e6);
  const auto& openings = in.list("openings", most_openings);
  for (std::size_t i = 0; i < openings.size(); ++i) result.openings.push_back(opening_of(openings[i], i));
  return result;
}

nlohmann::ordered_json json_of(const Choices& c) {
  auto openings = nlohmann::ordered_json::array();
  for (const auto& o : c.openings)
    openings.push_back({{"use", name_of(o.use)},
                        {"name", o.name},
                        {"condition", name_of(o.condition)},
                        {"value", o.value},
                        {"pulse", o.pulse},
                        {"resistance", o.resistance},
                        {"capacitance", o.capacitance},
                        {"proximal", o.proximal}});
  return {{"title", c.title},
          {"file", c.file},
          {"unit", c.unit},
          {"cells", c.cells},
          {"duration_s", c.duration_s},
          {"period_s", c.period_s},
          {"viscosity_mpas", c.viscosity_mpas},
          {"openings", openings}};
}

}  // namespace weft::flow
