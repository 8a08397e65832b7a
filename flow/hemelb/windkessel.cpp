// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/windkessel.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "hemelb/condition.hpp"
#include "weft/error.hpp"
#include "weft/file/read_text.hpp"

namespace weft::hemelb {

namespace {

// kg/(m^4 s) is Pa s/m^3, and m^4 s^2/kg is m^3/Pa.
double resistance_of(XmlReader& xml, pugi::xml_node condition, const char* name) {
  return xml.number(condition, name, {{"kg/m^4*s"}, {"Pa*s/m^3"}, {"mmHg*s/ml", 1e6 * pascals_a_mmhg}});
}
double capacitance_of(XmlReader& xml, pugi::xml_node condition, const char* name) {
  return xml.number(condition, name, {{"m^4*s^2/kg"}, {"m^3/Pa"}, {"ml/mmHg", 1e-6 / pascals_a_mmhg}});
}

double not_negative(const XmlReader& xml, pugi::xml_node element, double value) {
  if (!(value >= 0)) xml.fail(element, fmt::format("The value is {} (it must not be negative). Correct it.", value));
  return value;
}

// Reads four numbers per line: a site and its velocity relative to the fastest site. Returns the number of sites.
std::size_t check_weights(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return 0;
  std::istringstream in(read_text(file, "Correct the path in the case."));
  std::size_t sites = 0;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    double x = 0, y = 0, z = 0, weight = 0;
    words >> std::ws;
    if (words.eof()) continue;
    if (!(words >> x >> y >> z >> weight) || !(weight >= 0) || !std::isfinite(weight))
      throw InputError(fmt::format(
          "{}:{}: This is not a line of a weights file (a site's three whole numbers and a weight). Correct it.",
          file.string(), number));
    ++sites;
  }
  return sites;
}

void look_at_weights(XmlReader& xml, pugi::xml_node condition, HemelbCase& c) {
  const auto element = xml.child(condition, "path");
  if (!element) return;
  const auto name = xml.attribute(element, "value");
  c.read.push_back(xml.file().parent_path() / name);
  const auto sites = check_weights(c.read.back());
  c.assumed.push_back(
      {fmt::format("{} (line {})", xml.path(element), xml.line(element)),
       fmt::format("{} scales one site's velocity to the flow{}; weft uses the flow through the whole outlet", name,
                   sites > 0 ? fmt::format(" over {} sites", sites) : " (the file does not exist)")});
}

}  // namespace

bool is_windkessel(const std::string& type, const std::string& subtype) {
  if (type == "windkessel") return subtype == "GKmodel" || subtype == "fileGKmodel";
  return (type == "pressure" || type == "yangpressure") &&
         (subtype == "WK" || subtype == "fileWK" || subtype == "WK2" || subtype == "WK3");
}

void read_windkessel(XmlReader& xml, pugi::xml_node condition, const std::string& subtype, HemelbCase& c,
                     HemelbOpening& opening) {
  const bool is_rcr = subtype == "WK3";
  const char *r = is_rcr ? "Rp" : "R", *cap = is_rcr ? "Cp" : "C";
  PrescribedWindkessel w;
  w.resistance = resistance_of(xml, condition, r);
  if (!(w.resistance > 0))
    xml.fail(condition.child(r), fmt::format("The value is {} (it must be positive). Correct it.", w.resistance));
  // HemePure's first windkessels had no capacitor.
  if (is_rcr || condition.child(cap))
    w.capacitance = not_negative(xml, condition.child(cap), capacitance_of(xml, condition, cap));
  if (is_rcr) w.proximal = not_negative(xml, condition.child("Rc"), resistance_of(xml, condition, "Rc"));
  w.initial = c.initial_pressure;
  take_disc(xml, condition, c, opening);
  look_at_weights(xml, condition, c);
  opening.value.windkessel = w;
  opening.value.from =
      fmt::format("{} {}: {} {} Pa s/m^3{}{}", condition.attribute("type").value(), subtype, r, w.resistance,
                  w.capacitance > 0 ? fmt::format(", {} {} m^3/Pa", cap, w.capacitance) : "",
                  w.proximal > 0 ? fmt::format(", Rc {} Pa s/m^3", w.proximal) : "");
}

}  // namespace weft::hemelb
