// SPDX-License-Identifier: BSD-3-Clause
#include "flow/reading/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "flow/reading/waveform_reader.hpp"

namespace weft::flow {

using namespace program;

namespace {

using OpeningKind = lattice::OpeningState::Kind;

constexpr double most_diameters = 1000;

void refuse_of_table(const SectionReader& in, const std::string& why) {
  for (const auto* key : {"period", "unit"})
    if (in.has(key)) fail(*in.find(key), fmt::format("A {} is given, but {}. Remove the {}.", key, why, key));
}

WindkesselCase read_windkessel(const Value& value, const std::string& title, const std::filesystem::path& folder,
                               Table& behind) {
  if (!std::holds_alternative<Section>(value.data))
    fail(value, fmt::format("{} is {}. Give {{resistance = ..., capacitance = ..., proximal = ..., pressure = ..., "
                            "initial = ...}}, of which only the resistance is required, or \"tuned\" with a [tune].",
                            title, type_name(value)));
  const SectionReader in(value, "in " + title,
                         {"resistance", "capacitance", "proximal", "pressure", "period", "unit", "initial"});
  behind.points = {{0, 0}};
  if (in.has("pressure"))
    behind = read_waveform(in, "pressure", Dimension::pressure, 1, folder);
  else
    refuse_of_table(in, "there is no pressure");
  return {.resistance = in.quantity("resistance", Dimension::resistance, Range::positive),
          .capacitance = in.quantity("capacitance", Dimension::capacitance, Range::not_negative, 0),
          .proximal = in.quantity("proximal", Dimension::resistance, Range::not_negative, 0),
          .initial = in.quantity("initial", Dimension::pressure, Range::any, behind.at(0)),
          .settles = !in.has("initial")};
}

double read_share(const SectionReader& in) {
  const double share = in.number("share", Range::any, 0);
  if (!(share > 0 && share < 1))
    fail(*in.find("share"), fmt::format("{} is {}. Give a number above 0 and below 1.", in.title("share"), share));
  return share;
}

/// Reads a length, or a multiple of the lumen's diameter: "3 diameters".
geometry::ExtensionOptions read_extension(const SectionReader& in, const std::filesystem::path& surface,
                                          double metres_per_unit) {
  geometry::ExtensionOptions result;
  static constexpr Names<bool> shapes("shape", {{false, "lumen"}, {true, "round"}});
  result.round = in.choice("extension_shape", shapes, false);
  if (in.has("extension_shape") && !in.has("extension"))
    fail(*in.find("extension_shape"), fmt::format("{} is given, but there is no extension. Add one, or remove the key.",
                                                  in.title("extension_shape")));
  if (!in.has("extension")) return {};
  const auto& value = *in.find("extension");
  if (surface.extension() == ".gmy")
    fail(value,
         fmt::format("{} is given, but {} has sites (there is no surface to extend). Remove the key, or give the "
                     "vessel's surface.",
                     in.title("extension"), surface.filename().string()));
  if (const auto* text = std::get_if<std::string>(&value.data)) {
    double number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    const auto unit = std::string_view(text->data(), text->size()).substr(static_cast<std::size_t>(end - text->data()));
    if (error == std::errc{} && (unit == " diameters" || unit == " diameter")) {
      if (!(number > 0) || !(number <= most_diameters))
        fail(value, fmt::format("{} is '{}'. Give a number above 0 and at most {} diameters.", in.title("extension"),
                                *text, most_diameters));
      result.diameters = number;
      return result;
    }
    if (text->find("diam") != std::string::npos)
      fail(value,
           fmt::format("{} is '{}' (it is a length, or a number of diameters of the lumen). Give for example \"3 "
                       "diameters\" or \"12 mm\".",
                       in.title("extension"), *text));
  }
  result.length = in.quantity("extension", Dimension::length, Range::positive, {}, metres_per_unit);
  return result;
}

/// Windkessels and shares are allowed at outlets only.
void refuse_in_inlet(const Value& section) {
  const auto* inlet = std::get_if<Section>(&section.data);
  for (const auto* key : {"windkessel", "share"})
    if (const auto* value = inlet == nullptr ? nullptr : inlet->find(key))
      fail(*value,
           fmt::format("{} is given in [[inlet]] (only an outlet can have it). Give velocity, flow or pressure.", key));
}

OpeningCase read_opening(const Value& section, geometry::Opening::Kind end, std::size_t number,
                         const SurfaceCase& surface, const std::filesystem::path& folder) {
  const double metres_per_unit = surface.metres_per_unit;
  const std::string word = end == geometry::Opening::Kind::inlet ? "inlet" : "outlet";
  const bool is_inlet = end == geometry::Opening::Kind::inlet;
  std::vector<std::string> keys = {"name",   "centre", "normal", "radius",  "velocity",  "flow",           "pressure",
                                   "period", "unit",   "sign",   "profile", "extension", "extension_shape"};
  if (is_inlet) refuse_in_inlet(section);
  if (!is_inlet) keys.insert(keys.end(), {"windkessel", "share"});
  keys.insert(keys.end(), {"compartment", "resistance"});
  const SectionReader in(section, fmt::format("in [[{}]]", word), keys);
  OpeningCase result;
  result.disc.kind = end;
  result.disc.name = read_name(in, fmt::format("{}{}", word, number), "columns of a table");
  result.disc.centre = in.vector("centre", metres_per_unit);
  result.disc.normal = geometry::normalised(in.direction("normal", "the direction into the fluid"));
  result.disc.radius = in.quantity("radius", Dimension::length, Range::positive, {}, metres_per_unit);
  result.extension = read_extension(in, surface.file, metres_per_unit);

  const auto key = is_inlet ? in.exactly_one_of({"velocity", "flow", "pressure", "compartment"})
                            : in.exactly_one_of({"velocity", "flow", "pressure", "windkessel", "share", "compartment"});
  const bool by_pressure = key == "pressure" || key == "windkessel" || key == "compartment";
  result.kind = by_pressure ? OpeningKind::pressure : OpeningKind::velocity;
  if (in.has("resistance") && key != "compartment")
    fail(*in.find("resistance"),
         fmt::format("{} is given without a compartment (a windkessel has its own inside its braces). Remove it.",
                     in.title("resistance")));
  if (key == "pressure") result.value = read_waveform(in, key, Dimension::pressure, 1, folder);
  static constexpr Names<bool> signs("sign", {{false, "inward"}, {true, "outward"}});
  const double sign = in.choice("sign", signs, false) ? -1 : 1;
  result.has_sign = in.has("sign");
  if (result.has_sign && key != "velocity" && key != "flow")
    fail(*in.find("sign"), fmt::format("A sign is given, but {} is not a velocity or flow. Remove it.", in.title(key)));
  if (key == "velocity") result.value = read_waveform(in, key, Dimension::velocity, sign, folder);
  if (key == "flow") result.value = read_waveform(in, key, Dimension::flow, sign / result.area(), folder);
  if (key == "flow") result.flow_area = result.area();
  static constexpr Names<bool> profiles("profile", {{false, "parabola"}, {true, "womersley"}});
  result.womersley = in.choice("profile", profiles, false);
  if (result.womersley &&
      (result.kind != OpeningKind::velocity || !(result.value.repeats_after() > 0) || key == "share"))
    fail(*in.find("profile"),
         fmt::format("{} is womersley, but {} is not a velocity or flow with a period. Give it a period, or remove the "
                     "profile.",
                     in.title("profile"), in.title(key)));
  if (key == "velocity" || key == "flow" || key == "pressure") return result;
  refuse_of_table(in, in.title(key) + " is not a table");
  result.rule = key == "share"         ? OpeningCase::Rule::share
                : key == "compartment" ? OpeningCase::Rule::compartment
                                       : OpeningCase::Rule::windkessel;
  if (key == "compartment") {
    result.compartment_name = in.text("compartment");
    result.windkessel.proximal = in.quantity("resistance", Dimension::resistance, Range::not_negative, 0);
    result.value.points = {{0, 0}};
    return result;
  }
  if (key == "share") result.value.points = {{0, read_share(in)}};
  const auto* given = std::get_if<std::string>(&in.find(key)->data);
  result.tuned = key == "windkessel" && given != nullptr && *given == "tuned";
  if (result.tuned) result.value.points = {{0, 0}};
  if (key == "windkessel" && !result.tuned)
    result.windkessel = read_windkessel(*in.find(key), in.title(key), folder, result.value);
  return result;
}

/// Shares are fractions of the inflow, so an inlet is required. The remaining flow needs an outlet with a pressure.
void check_shares(const std::vector<OpeningCase>& openings, const std::vector<const Value*>& shares) {
  double sum = 0;
  bool inlet = false;
  std::vector<std::string> by_pressure;
  for (const auto& opening : openings) {
    const bool is_inlet = opening.disc.kind == geometry::Opening::Kind::inlet;
    inlet = inlet || is_inlet;
    if (opening.is(OpeningCase::Rule::share)) sum += opening.value.at(0);
    if (!is_inlet && opening.kind == OpeningKind::pressure)
      by_pressure.push_back(fmt::format("'{}'", opening.disc.name));
  }
  if (shares.empty()) return;
  if (!inlet)
    fail(*shares.front(),
         "A share is given, but there is no [[inlet]] (a share is a fraction of the inflow). Add one.");
  if (by_pressure.empty())
    fail(*shares.back(),
         fmt::format("No outlet has a pressure (the shares add up to {}; if only flows are prescribed, nothing fixes "
                     "the fluid's "
                     "pressure). Give one outlet a pressure or a windkessel: it takes the rest of the flow.",
                     sum));
  constexpr double slack = 1e-9;
  if (sum > 1 - slack)
    fail(*shares.back(), fmt::format("The shares add up to {} (nothing is left for {}, but some mass must be free to "
                                     "leave through an opening with a "
                                     "pressure). Give shares that add up to less than 1.",
                                     sum, joined(by_pressure)));
}

}  // namespace

std::string read_name(const SectionReader& in, const std::string& fallback, std::string_view of_what) {
  const auto name = in.text("name", fallback);
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (!std::all_of(name.begin(), name.end(), allowed))
    fail(*in.find("name"),
         fmt::format("{} is '{}' (it names {}). Use letters, digits, _ and - only.", in.title("name"), name, of_what));
  return name;
}

std::vector<OpeningCase> read_openings(const SectionReader& document, const Value& root, const SurfaceCase& surface,
                                       const std::filesystem::path& folder) {
  std::vector<OpeningCase> result;
  std::map<std::string, std::string> places;
  std::vector<const Value*> shares;
  for (const auto end : {geometry::Opening::Kind::inlet, geometry::Opening::Kind::outlet}) {
    const std::string word = end == geometry::Opening::Kind::inlet ? "inlet" : "outlet";
    const auto* value = document.find(word);
    if (value == nullptr) continue;
    const auto* list = std::get_if<List>(&value->data);
    if (list == nullptr)
      fail(*value, fmt::format("{} is {}. Write [[{}]], once for each.", word, type_name(*value), word));
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto& section = (*list)[i];
      auto opening = read_opening(section, end, i, surface, folder);
      const auto [entry, is_new] = places.emplace(opening.disc.name, section.where);
      if (!is_new)
        fail(section, fmt::format("Two openings are called '{}' (the other one: {}). Give each its own name.",
                                  opening.disc.name, entry->second));
      if (opening.is(OpeningCase::Rule::share)) shares.push_back(std::get<Section>(section.data).find("share"));
      result.push_back(std::move(opening));
    }
  }
  if (result.empty()) fail(root, "There is neither an [[inlet]] nor an [[outlet]] (nothing would flow). Add one.");
  check_shares(result, shares);
  return result;
}

}  // namespace weft::flow
