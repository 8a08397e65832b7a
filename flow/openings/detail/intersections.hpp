// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/surface.hpp"

namespace weft::openings::detail {

/// Pairs of triangles in which an edge of one passes through the other, ascending. Skips neighbours that share an edge;
/// of neighbours that share a corner it tests only the opposite edges. Coplanar triangles do not count. Uses cells of
/// about a triangle's size: 500,000 triangles take about one second. Stops at `most` pairs.
std::vector<std::array<std::uint32_t, 2>> crossing_pairs(const geometry::Surface& surface, std::size_t most = 100'000);

}  // namespace weft::openings::detail
