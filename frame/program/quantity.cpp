// SPDX-License-Identifier: BSD-3-Clause
#include "program/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "weft/error.hpp"
#include "weft/text.hpp"

namespace weft::program {

namespace {

constexpr double mmhg = 133.322387415;

using Exponents = std::array<int, 3>;  // of kg, m, s

/// up / down x 10^power in SI. The power is kept apart, so that a product of units is rounded once.
struct Unit {
  double up = 1, down = 1;
  int power = 0;
  Exponents of{};
};

struct NamedUnit {
  std::string_view name;
  std::string_view prefixes;  ///< those that it may have
  Unit unit;
};

constexpr Exponents of_length{0, 1, 0}, of_volume{0, 3, 0}, of_time{0, 0, 1}, of_force{1, 1, -2},
    of_pressure{1, -1, -2}, of_viscosity{1, -1, -1};

// Prefixes that no paper uses are left out: "Ml" would be a misspelt "ml".
constexpr NamedUnit named_units[] = {
    {"m", "numcd", {1, 1, 0, of_length}},
    {"micron", "", {1, 1, -6, of_length}},
    {"microns", "", {1, 1, -6, of_length}},
    {"s", "num", {1, 1, 0, of_time}},
    {"sec", "num", {1, 1, 0, of_time}},
    {"second", "", {1, 1, 0, of_time}},
    {"seconds", "", {1, 1, 0, of_time}},
    {"min", "", {60, 1, 0, of_time}},
    {"minute", "", {60, 1, 0, of_time}},
    {"minutes", "", {60, 1, 0, of_time}},
    {"h", "", {3600, 1, 0, of_time}},
    {"g", "umk", {1, 1, -3, {1, 0, 0}}},
    {"l", "numcd", {1, 1, -3, of_volume}},
    {"L", "numcd", {1, 1, -3, of_volume}},
    {"cc", "", {1, 1, -6, of_volume}},
    {"ccm", "", {1, 1, -6, of_volume}},
    {"N", "um", {1, 1, 0, of_force}},
    {"dyn", "", {1, 1, -5, of_force}},
    {"dyne", "", {1, 1, -5, of_force}},
    {"dynes", "", {1, 1, -5, of_force}},
    {"Pa", "umhkM", {1, 1, 0, of_pressure}},
    {"bar", "um", {1, 1, 5, of_pressure}},
    {"Ba", "", {1, 1, -1, of_pressure}},
    {"mmHg", "", {mmhg, 1, 0, of_pressure}},
    {"mmhg", "", {mmhg, 1, 0, of_pressure}},
    {"Torr", "", {101325, 760, 0, of_pressure}},
    {"torr", "", {101325, 760, 0, of_pressure}},
    {"psi", "", {6894.757293168361, 1, 0, of_pressure}},
    {"atm", "", {101325, 1, 0, of_pressure}},
    {"lpm", "", {1, 60, -3, {0, 3, -1}}},
    {"WU", "", {60 * mmhg, 1, 3, {1, -4, -1}}},  // Wood units, mmHg min/l
    {"cmH2O", "", {98.0665, 1, 0, of_pressure}},
    {"mmH2O", "", {9.80665, 1, 0, of_pressure}},
    {"P", "umc", {1, 1, -1, of_viscosity}},
    {"poise", "", {1, 1, -1, of_viscosity}},
    {"Poise", "", {1, 1, -1, of_viscosity}},
    {"centipoise", "", {1, 1, -3, of_viscosity}},
    {"Pas", "um", {1, 1, 0, of_viscosity}},
};

int power_of_prefix(char prefix) {
  constexpr std::pair<char, int> powers[] = {{'n', -9}, {'u', -6}, {'m', -3}, {'c', -2},
                                             {'d', -1}, {'h', 2},  {'k', 3},  {'M', 6}};
  for (const auto& [letter, power] : powers)
    if (letter == prefix) return power;
  return 0;
}

std::optional<Unit> named_unit(std::string_view name) {
  for (const auto& known : named_units)
    if (known.name == name) return known.unit;
  for (const auto& known : named_units) {
    if (name.size() != known.name.size() + 1 || !name.ends_with(known.name)) continue;
    if (known.prefixes.find(name.front()) == std::string_view::npos) continue;
    auto unit = known.unit;
    unit.power += power_of_prefix(name.front());
    return unit;
  }
  return {};
}

Unit product(Unit a, Unit b, int exponent) {
  for (int k = 0; k < std::abs(exponent); ++k) {
    a.up *= exponent > 0 ? b.up : b.down;
    a.down *= exponent > 0 ? b.down : b.up;
  }
  a.power += exponent * b.power;
  for (std::size_t k = 0; k < a.of.size(); ++k) a.of[k] += exponent * b.of[k];
  return a;
}

/// Reads products and quotients from the left: "mmHg s/ml", "dyn s cm-5", "kg/(m s)". A slash applies to the next
/// factor, so that "kg/m s" has the dimension of kg s/m.
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  /// Nothing if the text is not a unit.
  std::optional<Unit> run() {
    const auto unit = factors();
    return at_ == text_.size() ? unit : std::nullopt;
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : ')'; }

  std::optional<Unit> factors() {
    Unit all;
    for (bool is_first = true;; is_first = false) {
      int sign = 1;
      for (; next() == ' ' || next() == '/'; ++at_) {
        if (next() == '/' && (sign < 0 || is_first)) return {};
        if (next() == '/') sign = -1;
      }
      if (next() == ')') return sign > 0 && !is_first ? std::optional(all) : std::nullopt;
      const auto one = factor();
      if (!one) return {};
      all = product(all, *one, sign);
    }
  }

  std::optional<Unit> factor() {
    if (next() == '(') {
      ++at_;
      const auto inside = factors();
      if (!inside || at_ == text_.size()) return {};
      ++at_;  // the closing bracket
      return inside;
    }
    const auto word = text_.substr(at_, text_.find_first_of(" /()", at_) - at_);
    at_ += word.size();
    if (const auto unit = named_unit(word)) return unit;
    const auto letters = word.find_last_not_of("-0123456789") + 1;
    const auto digits = word.substr(letters);
    int exponent = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    const auto unit = named_unit(word.substr(0, letters));
    if (!unit || error != std::errc{} || end != digits.data() + digits.size() || std::abs(exponent) > 9) return {};
    return product({}, *unit, exponent);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct DimensionInfo {
  std::string_view name, si, list;  ///< list: the units that messages name
  Exponents of;
};

const DimensionInfo& info_of(Dimension dimension) {
  static constexpr std::array<DimensionInfo, 12> all = {
      {{"length", "m", "m, cm, mm, um, nm", of_length},
       {"time", "s", "s, ms, us, ns, min", of_time},
       {"velocity", "m/s", "m/s, cm/s, mm/s, um/s", {0, 1, -1}},
       {"pressure", "Pa", "Pa, hPa, kPa, mPa, mmHg, mbar, bar, cmH2O, dyn/cm^2", of_pressure},
       {"density", "kg/m^3", "kg/m^3, g/cm^3, g/ml, kg/l", {1, -3, 0}},
       {"viscosity", "Pa s", "Pa s, mPa s, uPa s, P, cP", of_viscosity},
       {"flow", "m^3/s", "m^3/s, l/min, ml/s, ml/min, ul/s, ul/min, cm^3/s, mm^3/s", {0, 3, -1}},
       {"resistance", "Pa s/m^3", "Pa s/m^3, Pa s/ml, mmHg s/ml, dyn s/cm^5", {1, -4, -1}},
       {"capacitance", "m^3/Pa", "m^3/Pa, ml/Pa, ml/mmHg, cm^5/dyn", {-1, 4, 2}},
       {"volume", "m^3", "m^3, l, ml, ul, cm^3, mm^3", of_volume},
       {"elastance", "Pa/m^3", "Pa/m^3, Pa/ml, mmHg/ml, dyn/cm^5", {1, -4, -2}},
       {"inertance", "Pa s^2/m^3", "Pa s^2/m^3, Pa s^2/ml, mmHg s^2/ml, g/cm^4", {1, -4, 0}}}};
  return all[static_cast<std::size_t>(dimension)];
}

/// Normalises a unit: the micro sign becomes u, a product becomes a blank, and an exponent has neither a caret nor
/// raised digits.
std::string plain_spelling(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> spellings[] = {
      {"\u00b5", "u"}, {"\u03bc", "u"}, {"**", ""},      {"^", ""},       {"mm Hg", "mmHg"}, {"cm H2O", "cmH2O"},
      {"\u207b", "-"}, {"\u2013", "-"}, {"\u2212", "-"}, {"\u00b9", "1"}, {"\u00b2", "2"},   {"\u2082", "2"},
      {"\u00b3", "3"}, {"\u2074", "4"}, {"\u2075", "5"}, {"\u00b7", " "}, {"\u22c5", " "},   {"\u00a0", " "},
      {"*", " "},      {".", " "},      {"\t", " "}};
  std::string result;
  while (!text.empty()) {
    std::string_view piece = text.substr(0, 1);
    std::size_t taken = 1;
    for (const auto& [from, to] : spellings)
      if (taken == 1 && text.starts_with(from)) piece = to, taken = from.size();
    if (text.size() > 1 && text[0] == '-' && (text[1] < '0' || text[1] > '9')) piece = " ";  // "mmHg-s/ml"
    result += piece;
    text.remove_prefix(taken);
  }
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
  const auto name = trimmed(number.substr(static_cast<std::size_t>(end - number.data())));
  if (name.empty()) throw wrong("it has no unit");
  constexpr std::size_t longest = 60;  // the parser descends into brackets
  const auto unit = name.size() <= longest ? UnitParser(plain_spelling(name)).run() : std::nullopt;
  if (!unit || unit->of != info_of(dimension).of || std::abs(unit->power) > 99)
    throw wrong(fmt::format("unknown unit '{}'", name));
  double power = 1;
  const auto digits = fmt::format("1e{}", unit->power);
  std::from_chars(digits.data(), digits.data() + digits.size(), power);
  return value * (power * unit->up / unit->down);
}

std::string_view name_of(Dimension dimension) { return info_of(dimension).name; }

std::string_view si_unit(Dimension dimension) { return info_of(dimension).si; }

std::string unit_list(Dimension dimension) { return std::string(info_of(dimension).list); }

}  // namespace weft::program
