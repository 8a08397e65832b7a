// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "openings/find_openings.hpp"

namespace weft::openings::detail {

/// Flat regions of a surface with a sharp edge all around: possible caps, or facets of a coarse wall.
std::vector<VesselOpening> flat_regions(const Surface& surface);

/// An opening from its outline. Its normal is such that the outline runs counter-clockwise around the opposite
/// direction, as the rim of a cap with outward triangles does.
VesselOpening from_outline(VesselOpening::Kind kind, std::vector<Vector> outline);

}  // namespace weft::openings::detail
