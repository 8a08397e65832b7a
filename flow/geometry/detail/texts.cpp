// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/texts.hpp"

#include <cstdio>

namespace weft::geometry::detail {

std::string number_text(double metres, double metres_per_unit) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", metres / metres_per_unit);
  return text;
}

std::string place_text(const Vector& metres, double metres_per_unit) {
  std::string text(1, '(');
  return text.append(number_text(metres[0], metres_per_unit))
      .append(", ")
      .append(number_text(metres[1], metres_per_unit))
      .append(", ")
      .append(number_text(metres[2], metres_per_unit))
      .append(")");
}

}  // namespace weft::geometry::detail
