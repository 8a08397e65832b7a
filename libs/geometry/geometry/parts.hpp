// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace weft::geometry {

/// Which openings fluid can flow between: of each opening the number of its part, counted from 0 as they come. Openings
/// are of one part if their lumens lie in one connected piece of the surface, or if the voxels that fill it (some
/// 60,000) connect them; so a narrow place is never taken for a wall. An opening without a lumen is a part of its own.
/// The surface is closed. Takes a tenth of a second, if it has several pieces.
std::vector<int> parts_of_openings(const Surface& closed, const std::vector<Opening>& openings, double voxel);

}  // namespace weft::geometry
