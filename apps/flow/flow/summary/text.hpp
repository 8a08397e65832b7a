// SPDX-License-Identifier: BSD-3-Clause
//
// Text of a page: escaped, and numbers as people read them.
#pragma once

#include <string>
#include <string_view>

namespace weft::flow::summary {

/// For text and for attributes in double quotes.
std::string escaped(std::string_view text);
std::string base64(std::string_view bytes);

/// So many digits that count, without an exponent where it is legible: "12.3", "0.0456", "1.2e-9"; a true minus; "–" if
/// it is no number.
std::string digits(double value, int count = 3);
/// A number as somebody gave it: "1", "0.04".
std::string given(double value);
std::string percent(double part, int count = 3);

/// What numbers are told in.
struct Unit {
  double si = 1;  ///< of one of it
  const char* name = "";
};
inline constexpr double mmhg = 133.322387415;
inline constexpr double ml_per_min = 1e-6 / 60;

/// A cell's text: the number in that unit, and as it is in SI units for programs: <data value="...">.
std::string number(double in_si, const Unit& unit, int count = 3);
/// The same with the unit behind.
std::string with_unit(double in_si, const Unit& unit, int count = 3);

}  // namespace weft::flow::summary
