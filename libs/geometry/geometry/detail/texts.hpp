// SPDX-License-Identifier: BSD-3-Clause
//
// What errors say of places: in the file's units, as its author knows them.
#pragma once

#include <string>

#include "geometry/vector.hpp"

namespace weft::geometry::detail {

/// "1.234"
std::string number_text(double metres, double metres_per_unit);
/// "(1, 2.5, -3)"
std::string place_text(const Vector& metres, double metres_per_unit);

}  // namespace weft::geometry::detail
