// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/surface.hpp"

namespace weft::geometry {

/// How the edges of a surface are used.
struct EdgeCheck {
  /// An edge as a triangle walks along it.
  struct Edge {
    std::uint32_t from, to, triangle;
  };
  std::vector<Edge> open;     ///< used once
  std::vector<Edge> crowded;  ///< used more than twice (one entry an edge)
  std::vector<Edge> turned;   ///< used twice in the same direction
};

EdgeCheck check_edges(const Surface& surface);

/// The triangles that must be turned so that neighbours agree: in each connected part the fewer. Empty if no choice
/// makes them agree. Edges used more than twice are not walked over.
std::vector<std::uint32_t> wrong_triangles(const Surface& surface);

/// The open edges joined to closed rims, each a ring of edges in order.
/// `touching` is set to a vertex where several rims meet (they can't be told apart), if there is one.
std::vector<std::vector<EdgeCheck::Edge>> join_rims(const std::vector<EdgeCheck::Edge>& open, std::int64_t& touching);

/// Positive if the normals point outwards.
double signed_volume(const Surface& surface);

}  // namespace weft::geometry
