// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/condition.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <sstream>

#include "weft/error.hpp"
#include "weft/file/read_text.hpp"
#include "weft/file/read_whole.hpp"

namespace weft::hemelb {

namespace {

// Checks the limit of a weft case.
void check_period(const XmlReader& xml, pugi::xml_node condition, double period) {
  constexpr double least = 1e-9;  // s
  if (!(period >= least))
    xml.fail(condition.child("period"),
             fmt::format("The period is {} s (it must be at least {} s). Correct it.", period, least));
}

void cosine(XmlReader& xml, pugi::xml_node condition, HemelbOpening& opening) {
  const auto units = {Unit{"mmHg", pascals_a_mmhg}, Unit{"Pa"}};
  const double amplitude = xml.number(condition, "amplitude", units), mean = xml.number(condition, "mean", units);
  const double phase = xml.number(condition, "phase", {{"rad"}}), period = xml.number(condition, "period", {{"s"}});
  auto& value = opening.value;
  value.from = fmt::format("pressure cosine: mean {} Pa, amplitude {} Pa, phase {}, period {} s", mean, amplitude,
                           phase, period);
  if (amplitude == 0) {  // a constant for any period
    value.points = {{0, mean}};
    return;
  }
  value.cosine = {.mean = mean, .amplitude = amplitude, .period = period, .phase = phase};
  check_period(xml, condition, period);
}

// Reads lines with a time (s) and a value; ignores the rest of a line and comments after #.
std::vector<std::array<double, 2>> read_series(const std::filesystem::path& file, double unit) {
  const std::string advice = "Correct the path in the case.";
  std::error_code error;
  if (std::filesystem::is_other(std::filesystem::status(file, error)))  // a pipe named by a case would block
    throw cannot_read(file, "it is not a regular file", advice);
  std::istringstream in(read_text(file, advice));
  std::vector<std::array<double, 2>> points;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find_first_of("#,")));
    std::array<double, 2> point{};
    words >> std::ws;
    if (words.eof()) continue;
    if (!(words >> point[0] >> point[1]) || !std::isfinite(point[0]) || !std::isfinite(point[1]) || point[0] < 0)
      throw InputError(
          fmt::format("{}:{}: This line is not a time and a value (two numbers, the time not negative). Correct it.",
                      file.string(), number));
    if (!points.empty() && point[0] <= points.back()[0])
      throw InputError(
          fmt::format("{}:{}: The time {} s follows the time {} s. Sort the lines by time, and give each time once.",
                      file.string(), number, point[0], points.back()[0]));
    points.push_back({point[0], unit * point[1]});
  }
  if (points.empty())
    throw InputError(file.string() + ": The file has no line with a time and a value. Add at least one.");
  return points;
}

void from_file(XmlReader& xml, pugi::xml_node condition, HemelbCase& c, HemelbOpening& opening, double unit) {
  const auto element = xml.required(condition, "path");
  const auto name = xml.attribute(element, "value");
  c.read.push_back(xml.file().parent_path() / name);
  opening.value.points = read_series(c.read.back(), unit);
  opening.value.from =
      fmt::format("{} from {}, with its times unchanged", opening.value.pressure ? "pressure" : "velocity", name);
}

void tell(XmlReader& xml, pugi::xml_node element, HemelbCase& c, const std::string& why) {
  c.not_carried.push_back({fmt::format("{} (line {})", xml.path(element), xml.line(element)), why});
}

void velocity(XmlReader& xml, pugi::xml_node condition, const std::string& subtype, HemelbCase& c,
              HemelbOpening& opening) {
  const double speed = c.voxel / c.time_step;
  auto& value = opening.value;
  value.pressure = false;
  xml.required(condition, "radius");
  take_disc(xml, condition, c, opening);
  if (subtype == "file")
    return from_file(xml, condition, c, opening, 0.5);  // its values are the velocity on the axis of a parabola
  if (subtype == "parabolic") {
    const double most = xml.number(condition, "maximum", {{"lattice", speed}, {"m/s"}});
    value.points = {{0, most / 2}};
    value.from = fmt::format("velocity parabolic: {} m/s on the axis", most);
    return;
  }
  // A pressure gradient divided by the density is an acceleration.
  const double gradient = xml.number(condition, "pressure_gradient_amplitude",
                                     {{"lattice", speed / c.time_step}, {"mmHg/m", pascals_a_mmhg / blood_density}});
  const double period = xml.number(condition, "period", {{"lattice", c.time_step}, {"s"}});
  if (gradient == 0) {  // at rest for any period and Womersley number
    xml.required(condition, "womersley_number");
    value.points = {{0, 0}};
    value.from = "velocity womersley of no pressure gradient";
    return;
  }
  const double alpha = xml.positive(condition, "womersley_number", {{"dimensionless"}});
  constexpr double largest_alpha = 60;  // beyond it the series loses its precision
  if (alpha > largest_alpha)
    xml.fail(condition.child("womersley_number"),
             fmt::format("The value is {} (at most {} is allowed). Give a smaller value.", alpha, largest_alpha));
  check_period(xml, condition, period);
  const auto mean = womersley_mean(gradient, period, alpha);
  value.cosine = {.mean = 0, .amplitude = std::abs(mean), .period = period, .phase = std::arg(mean)};
  value.womersley = true;
  value.from = fmt::format("velocity womersley: number {}, period {} s", alpha, period);
  const double radius = opening.disc.radius;
  const double ours = radius * std::sqrt(2 * std::numbers::pi / period * blood_density / blood_viscosity);
  constexpr double alike = 0.01;
  if (std::abs(ours - alpha) > alike * alpha)
    tell(xml, condition, c,
         fmt::format("the mean over the disc is kept; weft's profile has a Womersley number of {:.4g}, which follows "
                     "from radius, period and viscosity, instead of {}",
                     ours, alpha));
}

}  // namespace

void take_disc(XmlReader& xml, pugi::xml_node condition, const HemelbCase& c, HemelbOpening& opening) {
  if (condition.child("radius")) opening.disc.radius = xml.positive(condition, "radius", {{"m"}, {"lattice", c.voxel}});
  if (!condition.child("area")) return;
  const double area = xml.positive(condition, "area", {{"m^2"}, {"lattice", c.voxel * c.voxel}});
  if (opening.disc.radius == 0) opening.disc.radius = std::sqrt(area / std::numbers::pi);
}

std::complex<double> womersley_mean(double gradient, double period, double alpha) {
  using Complex = std::complex<double>;
  const Complex i(0, 1), z = std::pow(i, 1.5) * alpha, q = -z * z / 4.0;
  Complex j0 = 0, j1 = 0, term = 1;  // J0 = sum q^k / k!^2, J1 = z/2 sum q^k / (k! (k + 1)!)
  for (int k = 0; k < 400; ++k) {
    j0 += term;
    j1 += z / 2.0 * term / static_cast<double>(k + 1);
    term *= q / static_cast<double>((k + 1) * (k + 1));
  }
  const double w = 2 * std::numbers::pi / period;
  return gradient / (i * w) * (1.0 - 2.0 * j1 / (z * j0));
}

void read_condition(XmlReader& xml, pugi::xml_node condition, HemelbCase& c, HemelbOpening& opening) {
  const auto type = xml.attribute(condition, "type"), subtype = xml.attribute(condition, "subtype");
  // they differ in how a site obtains the pressure
  const bool is_pressure = type == "pressure" || type == "yangpressure";
  const bool is_outlet = opening.disc.kind == geometry::Opening::Kind::outlet;
  if (is_pressure && (subtype == "cosine" || subtype == "file")) {
    take_disc(xml, condition, c, opening);
    return subtype == "cosine" ? cosine(xml, condition, opening)
                               : from_file(xml, condition, c, opening, pascals_a_mmhg);
  }
  if (is_windkessel(type, subtype) && is_outlet) return read_windkessel(xml, condition, subtype, c, opening);
  if (type == "velocity" && (subtype == "parabolic" || subtype == "womersley" || subtype == "file"))
    return velocity(xml, condition, subtype, c, opening);
  opening.value.points = {{0, 0}};
  const char* where = is_windkessel(type, subtype) ? " at an inlet" : "";
  opening.value.from = fmt::format("{} {}{}, which weft lacks: replace it by hand", type, subtype, where);
  tell(xml, condition, c,
       fmt::format("weft has no condition '{} {}'{}; a pressure of 0 stands in for it", type, subtype, where));
  c.not_carried.back().replaced = true;
}

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
