// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/surface.hpp"

namespace weft::openings::detail {

/// Pairs of triangles of which an edge of one goes through the other, ascending. Neighbours that share an edge are not
/// looked at, and of those that share a corner only the edges opposite to it. Triangles in one plane do not count. By
/// cells of about a triangle's size: 500,000 triangles in about a second. Stops at `most` pairs.
std::vector<std::array<std::uint32_t, 2>> crossing_pairs(const geometry::Surface& surface, std::size_t most = 100'000);

}  // namespace weft::openings::detail
