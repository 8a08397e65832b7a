// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>
#include <string_view>

#include "geometry/surface.hpp"

namespace weft::geometry {

/// Writes a surface as binary PLY with coordinates in double precision, so that read_surface reads the same triangles.
/// `comment`: one line.
void write_ply(std::ostream& out, const Surface& surface, std::string_view comment);

}  // namespace weft::geometry
