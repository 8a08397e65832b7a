// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "flow/summary/history.hpp"
#include "insitu/scene.hpp"

namespace weft::flow::summary {

// Text of a page: escaping, and formatting of numbers.

/// Escapes HTML, for text and for attributes in double quotes.
std::string escaped(std::string_view text);
std::string base64(std::string_view bytes);

/// A number with `count` significant digits, without an exponent if readable: "12.3", "0.0456", "1.2e-9"; with a
/// typographic minus; "–" if it is not finite.
std::string digits(double value, int count = 3);
/// A number as the user gave it: "1", "0.04".
std::string given(double value);
std::string percent(double part, int count = 3);

/// A unit for output.
struct Unit {
  double si = 1;  ///< SI value of one unit
  const char* name = "";
};
inline constexpr double mmhg = 133.322387415;
inline constexpr double ml_per_min = 1e-6 / 60;

/// A cell's text: the number in that unit, with the SI value for programs: <data value="...">.
std::string number(double in_si, const Unit& unit, int count = 3);
/// The same, followed by the unit.
std::string with_unit(double in_si, const Unit& unit, int count = 3);

/// Colours of Okabe and Ito, which colour-blind people can distinguish.
const char* colour_of(std::size_t number);

/// Curves over time with their names at their ends, as SVG.
struct LineChart {
  std::string title;  ///< plain text
  Unit unit{};
  std::vector<std::string> names{};
  std::vector<Curve> curves{};
  std::vector<double> signs{};      ///< factor of each curve; empty: 1
  std::vector<Curve> prescribed{};  ///< dashed, beside the curve of the same number; may be empty
};
std::string svg_of(const LineChart& chart);

/// The colour scale of a map, as SVG.
std::string svg_scale(insitu::ColourMap map, double low, double high, const Unit& unit);

/// A bar of this fraction, for a table's cell.
std::string bar(double part, std::size_t colour);

}  // namespace weft::flow::summary
