// SPDX-License-Identifier: BSD-3-Clause
#include "openings/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "geometry/units.hpp"

namespace weft::openings {

using namespace geometry;  // a Vector's operators

namespace {

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  return out + '"';
}

std::string numbers(const Vector& v) {
  return fmt::format("[{:.9g}, {:.9g}, {:.9g}]", v[0] + 0.0, v[1] + 0.0, v[2] + 0.0);
}

const char* word_of(Finding::Weight weight) {
  constexpr std::array<const char*, 4> words{"note", "repaired", "warning", "unusable"};
  return words[static_cast<std::size_t>(weight)];
}

}  // namespace

namespace {

VesselSize size_of(const VesselAnalysis& vessel) {
  return {.length = length(vessel.high - vessel.low),
          .opening_radius = vessel.openings.empty() ? 0 : vessel.openings.front().radius};
}

}  // namespace

bool is_likely(const VesselAnalysis& vessel, double metres_per_unit) {
  return is_likely_vessel(size_of(vessel), metres_per_unit);
}

UnitGuess guess_unit(const VesselAnalysis& vessel) {
  const auto unit = likely_unit(size_of(vessel));
  return unit ? UnitGuess{unit->name, unit->value} : UnitGuess{};
}

std::string report_text(const VesselAnalysis& vessel, const std::vector<Role>& roles, std::string_view unit) {
  const auto size = vessel.high - vessel.low;
  std::string text = fmt::format("vessel: {:.4g} x {:.4g} x {:.4g} {}, volume {:.4g} {}^3\n", size[0], size[1], size[2],
                                 unit, vessel.volume, unit);
  if (!vessel.openings.empty())
    text += fmt::format(
        "narrowest lumen: {:.4g} {} wide, at {}\n\n {:>2}  {:<8} {:<9} {:>10} {:>9} {:>9} {:>6}  {:<30} {}\n",
        vessel.narrowest, unit, place_text(vessel.narrowest_at), "", "proposed", "kind", fmt::format("area {}^2", unit),
        "radius", "roundness", "aspect", "centre", "normal into the vessel");
  for (std::size_t k = 0; k < vessel.openings.size(); ++k) {
    const auto& o = vessel.openings[k];
    text += fmt::format(" {:>2}  {:<8} {:<9} {:>10.4g} {:>9.4g} {:>9.2f} {:>6.2f}  {:<30} ({:.3f}, {:.3f}, {:.3f})\n",
                        k + 1, name_in_case(vessel, roles, k), name_of(o.kind), o.area, o.radius, o.roundness, o.aspect,
                        place_text(o.centre), o.normal[0] + 0.0, o.normal[1] + 0.0, o.normal[2] + 0.0);
  }
  if (!vessel.findings.empty()) text += '\n';
  for (const auto& f : vessel.findings) text += fmt::format("{}: {}\n", word_of(f.weight), f.text);
  return text;
}

std::string report_json(const VesselAnalysis& vessel, const std::vector<Role>& roles, std::string_view file,
                        std::string_view unit, double metres) {
  std::string text = fmt::format(
      "{{\n  \"surface\": {},\n  \"unit\": {},\n  \"metres_per_unit\": {:.9g},\n  \"usable\": {},\n  \"low\": {},\n  "
      "\"high\": {},\n"
      "  \"volume\": {:.9g},\n  \"narrowest\": {:.9g},\n  \"narrowest_at\": {},\n  \"openings\": [",
      json_text(file), json_text(unit), metres, vessel.is_usable(), numbers(vessel.low), numbers(vessel.high),
      vessel.volume, vessel.narrowest, numbers(vessel.narrowest_at));
  for (std::size_t k = 0; k < vessel.openings.size(); ++k) {
    const auto& o = vessel.openings[k];
    text += fmt::format(
        "{}\n    {{\"number\": {}, \"name\": {}, \"role\": \"{}\", \"kind\": \"{}\", \"part\": {}, \"centre\": {}, "
        "\"normal\": {}, "
        "\"area\": {:.9g}, "
        "\"radius\": {:.9g}, \"roundness\": {:.4f}, \"aspect\": {:.4f}, \"disc_radius\": {:.9g},\n     \"contour\": [",
        k > 0 ? "," : "", k + 1, json_text(name_in_case(vessel, roles, k)),
        roles[k] == Role::inlet    ? "inlet"
        : roles[k] == Role::outlet ? "outlet"
                                   : "closed",
        name_of(o.kind), o.part, numbers(o.centre), numbers(o.normal), o.area, o.radius, o.roundness, o.aspect,
        o.disc_radius);
    for (std::size_t p = 0; p < o.contour.size(); ++p) text += (p > 0 ? ", " : "") + numbers(o.contour[p]);
    text += "]}";
  }
  text += "\n  ],\n  \"findings\": [";
  for (std::size_t k = 0; k < vessel.findings.size(); ++k)
    text += fmt::format("{}\n    {{\"weight\": \"{}\", \"text\": {}, \"place\": {}}}", k > 0 ? "," : "",
                        word_of(vessel.findings[k].weight), json_text(vessel.findings[k].text),
                        numbers(vessel.findings[k].place));
  return text + "\n  ]\n}\n";
}

}  // namespace weft::openings
