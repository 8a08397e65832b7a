// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "openings/find_openings.hpp"

namespace weft::openings::detail {

/// The neighbour across each edge of each triangle; no_neighbour if there is not exactly one.
using Neighbours = std::vector<std::array<std::uint32_t, 3>>;
constexpr std::uint32_t no_neighbour = ~0U;
Neighbours neighbours_of(const Surface& surface);

/// Flat regions of a surface with a sharp edge all around: possible caps, or facets of a coarse wall.
std::vector<VesselOpening> flat_regions(const Surface& surface);

/// An opening from its outline. Its normal is such that the outline runs counter-clockwise around the opposite
/// direction, as the rim of a cap with outward triangles does.
VesselOpening from_outline(VesselOpening::Kind kind, std::vector<Vector> outline);

}  // namespace weft::openings::detail
