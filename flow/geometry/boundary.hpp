// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// The uses of a surface's edges by its triangles.
struct EdgeCheck {
  /// An edge in the direction of its triangle.
  struct Edge {
    std::uint32_t from, to, triangle;
  };
  std::vector<Edge> open;     ///< used once
  std::vector<Edge> crowded;  ///< used more than twice (one entry per edge)
  std::vector<Edge> turned;   ///< used twice in the same direction
};

EdgeCheck check_edges(const Surface& surface);

/// The triangles that must be reversed so that neighbours agree: in each connected part the smaller set. Empty if no
/// choice makes them agree. Does not cross edges that are used more than twice.
std::vector<std::uint32_t> wrong_triangles(const Surface& surface);

/// The open edges joined to closed rims, each a ring of edges in order that passes no vertex twice. Edges that lead
/// nowhere, as at edges of more than two triangles, are left out.
std::vector<std::vector<EdgeCheck::Edge>> join_rims(const std::vector<EdgeCheck::Edge>& open);

/// Positive if the normals point outwards.
double signed_volume(const Surface& surface);

/// The part of each opening, numbered from 0 in order of appearance: fluid can flow between openings of the same part.
/// Openings are of one part if their lumens lie in one connected piece of the surface, or if the voxels that fill it
/// (about 60,000) connect them; so a stenosis is never taken for a wall. An opening without a lumen is a part of its
/// own. The surface must be closed. Takes a tenth of a second if the surface has several pieces.
std::vector<int> parts_of_openings(const Surface& closed, const std::vector<Opening>& openings, double voxel);

}  // namespace geometry
}  // namespace weft
