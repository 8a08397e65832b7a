// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace weft::geometry {

/// The part of each opening, numbered from 0 in order of appearance: fluid can flow between openings of the same part.
/// Openings are of one part if their lumens lie in one connected piece of the surface, or if the voxels that fill it
/// (about 60,000) connect them; so a stenosis is never taken for a wall. An opening without a lumen is a part of its
/// own. The surface must be closed. Takes a tenth of a second if the surface has several pieces.
std::vector<int> parts_of_openings(const Surface& closed, const std::vector<Opening>& openings, double voxel);

}  // namespace weft::geometry
