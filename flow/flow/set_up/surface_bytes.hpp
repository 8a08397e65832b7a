// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "geometry/surface.hpp"

namespace weft::flow {

/// A surface in the page's binary format, little-endian: number of vertices and of triangles (4 bytes each), each
/// vertex (3 floats, in metres times `per_metre`), each triangle (3 times 4 bytes).
std::string surface_bytes(const geometry::Surface& surface, double per_metre);

}  // namespace weft::flow
