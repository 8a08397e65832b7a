// SPDX-License-Identifier: BSD-3-Clause
//
// Exact intersection of lattice lines with triangles.
//
// A lattice line passes through sites along one of 13 directions (the 26 links, each pair of opposite links once).
// Sheared along its direction, the lattice becomes a plane of integer points (u, v), one per line, and a triangle
// becomes a plane triangle; a line crosses the triangle if its point lies inside. Three edge tests decide that. The
// sign of each test is exact: a sum of two rounded products is compared without rounding, and a point on an edge or
// corner counts as moved by (e, e^2) with e infinitely small. Two triangles that share an edge give opposite signs
// there, so a line leaves a closed surface as often as it enters, even where it only touches: no crossing is counted
// twice or lost.
#pragma once

#include <array>
#include <cstdint>

#include "geometry/vector.hpp"

namespace weft::geometry::detail {

/// One of the 13 directions of links.
struct Direction {
  int link;                 ///< link_index of the forward link, > 13
  std::array<int, 3> step;  ///< its offset; step[major] is 1
  std::size_t major, u, v;  ///< axes, in cyclic order

  /// The plane coordinates of a point: the same for all sites of one lattice line.
  template <class T>
  std::array<T, 2> shear(const std::array<T, 3>& p) const {
    return {p[u] - static_cast<T>(step[u]) * p[major], p[v] - static_cast<T>(step[v]) * p[major]};
  }
};

const std::array<Direction, 13>& directions();
/// Along z.
const Direction& upwards();

/// A triangle projected along a direction.
struct Projected {
  std::array<std::array<double, 2>, 3> corner;
  std::array<double, 3> height;  ///< the corners' major coordinates
};

Projected project(const Direction& direction, const std::array<Vector, 3>& corners);

struct Crossing {
  double height = 0;  ///< major coordinate
  std::uint32_t triangle = 0;
  std::int8_t winding = 0;  ///< in forward direction: +1 into the surface, -1 out of it
};

/// Whether the line (u, v) crosses the triangle. Sets height and winding of `crossing`.
bool crosses(const Projected& triangle, double u, double v, Crossing& crossing);

}  // namespace weft::geometry::detail
