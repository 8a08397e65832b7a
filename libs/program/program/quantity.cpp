// SPDX-License-Identifier: BSD-3-Clause
#include "program/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "weft/error.hpp"

namespace weft::program {

namespace {

struct Unit {
  std::string_view name;
  double factor;       ///< to SI
  bool listed = true;  ///< in messages; other spellings are accepted too
};

constexpr double mmhg = 133.322387415;

constexpr Unit lengths[] = {{"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"nm", 1e-9}};
constexpr Unit times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}};
constexpr Unit velocities[] = {{"m/s", 1}, {"cm/s", 1e-2}, {"mm/s", 1e-3}, {"um/s", 1e-6}};
constexpr Unit pressures[] = {{"Pa", 1},     {"hPa", 100}, {"kPa", 1e3},       {"mPa", 1e-3},    {"mmHg", mmhg},
                              {"mbar", 100}, {"bar", 1e5}, {"cmH2O", 98.0665}, {"dyn/cm^2", 0.1}};
constexpr Unit densities[] = {{"kg/m^3", 1}, {"g/cm^3", 1e3},     {"g/ml", 1e3},
                              {"kg/l", 1e3}, {"kg/m3", 1, false}, {"g/cm3", 1e3, false}};
constexpr Unit viscosities[] = {{"Pa s", 1},  {"mPa s", 1e-3},   {"uPa s", 1e-6},       {"P", 0.1},
                                {"cP", 1e-3}, {"Pas", 1, false}, {"mPas", 1e-3, false}, {"kg/(m s)", 1, false}};
constexpr Unit flows[] = {{"m^3/s", 1},          {"l/min", 1e-3 / 60}, {"ml/s", 1e-6},
                          {"ml/min", 1e-6 / 60}, {"ul/s", 1e-9},       {"ul/min", 1e-9 / 60},
                          {"mm^3/s", 1e-9},      {"m3/s", 1, false},   {"mm3/s", 1e-9, false}};
constexpr Unit resistances[] = {{"Pa s/m^3", 1}, {"Pa s/ml", 1e6}, {"mmHg s/ml", 1e6 * mmhg}, {"dyn s/cm^5", 1e5}};
constexpr Unit capacitances[] = {{"m^3/Pa", 1}, {"ml/Pa", 1e-6}, {"ml/mmHg", 1e-6 / mmhg}, {"cm^5/dyn", 1e-5}};
constexpr Unit volumes[] = {{"m^3", 1},     {"l", 1e-3},      {"ml", 1e-6},        {"ul", 1e-9},
                            {"mm^3", 1e-9}, {"m3", 1, false}, {"mm3", 1e-9, false}};
constexpr Unit elastances[] = {{"Pa/m^3", 1}, {"Pa/ml", 1e6}, {"mmHg/ml", 1e6 * mmhg}, {"dyn/cm^5", 1e5}};
constexpr Unit inertances[] = {{"Pa s^2/m^3", 1}, {"Pa s^2/ml", 1e6}, {"mmHg s^2/ml", 1e6 * mmhg}, {"g/cm^4", 1e5}};

struct DimensionInfo {
  std::string_view name;
  std::span<const Unit> units;
};

const DimensionInfo& info_of(Dimension dimension) {
  static const std::array<DimensionInfo, 12> all = {{{"length", lengths},
                                                     {"time", times},
                                                     {"velocity", velocities},
                                                     {"pressure", pressures},
                                                     {"density", densities},
                                                     {"viscosity", viscosities},
                                                     {"flow", flows},
                                                     {"resistance", resistances},
                                                     {"capacitance", capacitances},
                                                     {"volume", volumes},
                                                     {"elastance", elastances},
                                                     {"inertance", inertances}}};
  return all[static_cast<std::size_t>(dimension)];
}

/// Normalises a unit: the micro sign becomes u, a product becomes a blank, blanks become single.
std::string plain_spelling(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> spellings[] = {
      {"\u00b5", "u"},  {"\u03bc", "u"}, {"\u00b7", " "}, {"\u00b3", "^3"},
      {"\u00b2", "^2"}, {"*", " "},      {".", " "},      {"\t", " "}};
  std::string result;
  while (!text.empty()) {
    std::string_view piece = text.substr(0, 1);
    std::size_t taken = 1;
    for (const auto& [from, to] : spellings)
      if (text.starts_with(from)) piece = to, taken = from.size();
    if (piece != " " || !(result.empty() || result.back() == ' ')) result += piece;
    text.remove_prefix(taken);
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

}  // namespace

double parse_quantity(std::string_view text, Dimension dimension) {
  const auto wrong = [&](std::string_view why) {
    return InputError(fmt::format("'{}' is not a {} ({}). Give a number and one of the units {}.", text,
                                  name_of(dimension), why, unit_list(dimension)));
  };
  const auto first = text.find_first_not_of(" \t+");
  if (first == std::string_view::npos) throw wrong("it is empty");
  const auto number = text.substr(first);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc::result_out_of_range) throw wrong("the number is too large or too small");
  if (error != std::errc{}) throw wrong("it does not begin with a number");
  if (!std::isfinite(value)) throw wrong("the number is not finite");
  const auto name = plain_spelling(number.substr(static_cast<std::size_t>(end - number.data())));
  if (name.empty()) throw wrong("it has no unit");
  for (const auto& unit : info_of(dimension).units)
    if (unit.name == name) return value * unit.factor;
  throw wrong(fmt::format("unknown unit '{}'", name));
}

std::string_view name_of(Dimension dimension) { return info_of(dimension).name; }

std::string_view si_unit(Dimension dimension) { return info_of(dimension).units.front().name; }

std::string unit_list(Dimension dimension) {
  std::string list;
  for (const auto& unit : info_of(dimension).units)
    if (unit.listed) list += (list.empty() ? "" : ", ") + std::string(unit.name);
  return list;
}

}  // namespace weft::program
