// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "geometry/surface.hpp"
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

/// The lumen in a plane around (or nearest to) a point, as an opening with the plane's normal; none if the plane misses
/// the vessel. Its disc cuts all of the lumen and does not touch other lumens.
std::optional<VesselOpening> lumen_around(const Surface& closed, const Vector& place, const Vector& normal);

struct BlindCut {
  VesselOpening opening;
  bool is_steady = false;  ///< the lumen there is a tube with a constant section
};

/// Cuts a blind end where, going from the tip along the centreline (`way`, the tip first), the sections become
/// constant, at right angles to the line through their centres.
std::optional<BlindCut> cut_blind_end(const Surface& closed, const std::vector<Vector>& way, double radius);

/// Whether a cut removes the tip and nothing else: not another branch, and not the rest of a ring or of a chamber.
bool removes_only(const Surface& closed, const Neighbours& neighbours, const VesselOpening& cut, const Vector& tip);

constexpr double least_roundness = 0.4;  // of a tube's section

/// Whether the part behind a hole or flat region is a tube of this width, not a wall seen from its side.
bool ends_a_tube(const Surface& closed, const VesselOpening& opening);

/// Of the flat regions those that end a tube, not the sides of a body with edges: behind a cap the lumen is deep, and
/// of caps that touch, those with the longest lumen behind them are the ends. `voxel`: a smaller region with few
/// corners is a facet of the wall.
std::vector<VesselOpening> caps_of(const Surface& as_read, const Surface& closed, double voxel);

/// The solids of an STL file with a name and one rim that end a tube, also if they are not flat.
std::vector<VesselOpening> named_ends(const Surface& as_read, const Surface& closed);

/// Pairs of triangles in which an edge of one passes through the other, ascending. Skips neighbours that share an edge;
/// of neighbours that share a corner it tests only the opposite edges. Coplanar triangles do not count. Uses cells of
/// about a triangle's size: 500,000 triangles take about one second. Stops at `most` pairs.
std::vector<std::array<std::uint32_t, 2>> crossing_pairs(const geometry::Surface& surface, std::size_t most = 100'000);

}  // namespace weft::openings::detail
