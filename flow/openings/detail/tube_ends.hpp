// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "openings/find_openings.hpp"

namespace weft::openings::detail {

constexpr double least_roundness = 0.4;  // of a tube's section

/// Whether the part behind a hole or flat region is a tube of this width, not a wall seen from its side.
bool ends_a_tube(const Surface& closed, const VesselOpening& opening);

/// Of the flat regions those that end a tube, not the sides of a body with edges: behind a cap the lumen is deep, and
/// of caps that touch, those with the longest lumen behind them are the ends. `voxel`: a smaller region with few
/// corners is a facet of the wall.
std::vector<VesselOpening> caps_of(const Surface& as_read, const Surface& closed, double voxel);

/// The solids of an STL file with a name and one rim that end a tube, also if they are not flat.
std::vector<VesselOpening> named_ends(const Surface& as_read, const Surface& closed);

}  // namespace weft::openings::detail
