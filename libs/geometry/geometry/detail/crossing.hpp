// SPDX-License-Identifier: BSD-3-Clause
//
// Where lattice lines cross triangles, decided exactly.
//
// A lattice line runs along one of 13 directions (the 26 links, each taken one way) through sites. Sheared along its
// direction, the lattice becomes a plane of integer points (u, v), one a line, and a triangle becomes a plane triangle;
// a line crosses it if its point lies inside. Three edge tests decide that, and each has its exact sign: a
// sum of two rounded products is compared without rounding, and a point on an edge or corner counts as moved by
// (e, e^2), e infinitely small. Two triangles that share an edge get opposite answers there, so a line that enters a
// closed surface leaves it as often, whatever it grazes: nothing is cast twice, nothing leaks.
#pragma once

#include <array>
#include <cstdint>

#include "geometry/vector.hpp"

namespace weft::geometry::detail {

/// One of the 13 ways along which links lie.
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

/// A triangle seen along a direction.
struct Projected {
  std::array<std::array<double, 2>, 3> corner;
  std::array<double, 3> height;  ///< the corners' major coordinates
};

Projected project(const Direction& direction, const std::array<Vector, 3>& corners);

struct Crossing {
  double height = 0;  ///< major coordinate
  std::uint32_t triangle = 0;
  std::int8_t winding = 0;  ///< going forward: +1 into the surface, -1 out of it
};

/// Whether the line (u, v) crosses the triangle. Sets height and winding of `crossing`.
bool crosses(const Projected& triangle, double u, double v, Crossing& crossing);

}  // namespace weft::geometry::detail
