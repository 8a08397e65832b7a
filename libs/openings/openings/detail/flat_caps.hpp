// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "openings/find_openings.hpp"

namespace weft::openings::detail {

/// Flat regions of a surface with a sharp edge all around: what may be a cap, or a facet of a coarse wall.
std::vector<VesselOpening> flat_regions(const Surface& surface);

/// An opening from its outline; the normal so that the outline runs counter-clockwise around its opposite, as the rim
/// of a cap whose triangles face outwards does.
VesselOpening from_outline(VesselOpening::Kind kind, std::vector<Vector> outline);

}  // namespace weft::openings::detail
