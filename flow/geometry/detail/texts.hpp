// SPDX-License-Identifier: BSD-3-Clause
//
// Positions in error messages, in the units of the file.
#pragma once

#include <string>

#include "geometry/vector.hpp"

namespace weft::geometry::detail {

/// "1.234"
std::string number_text(double metres, double metres_per_unit);
/// "(1, 2.5, -3)"
std::string place_text(const Vector& metres, double metres_per_unit);

}  // namespace weft::geometry::detail
