// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/vector.hpp"

namespace weft::geometry::detail {

/// The tolerance, as a fraction of its radius, with which a disc must match the lumen that it closes.
constexpr double disc_slack = 0.05;

/// An opening in coordinates of sites. Its reach is 5 % and one site more than the given radius, since a user's radius
/// can be a little smaller than the lumen; beyond its reach it cuts nothing.
class Disc {
 public:
  Disc(const Opening& opening, const Grid& grid);

  /// Signed distance of a point from the disc's plane in sites, positive on the fluid's side.
  double above(const Vector& p) const { return dot(p - centre_, normal_); }
  /// The fraction of the segment from p to q at which the disc cuts it; `above_p` and `above_q` have opposite signs.
  std::optional<double> cut(const Vector& p, double above_p, const Vector& q, double above_q) const;
  /// Whether a triangle with this (outward) normal is the disc's cap where the surface is met: 1 yes, 0 no, -1 if it
  /// lies there but faces the fluid's side, so that the disc's normal points out of the vessel.
  int caps(const Vector& meeting, const Vector& triangle_normal) const;
  /// Whether it could cut or cap anything within `distance` of p.
  bool near(const Vector& p, double distance) const;

 private:
  Vector centre_, normal_;
  double reach_;
  double thickness_;  // the largest distance of a cap from its plane
};

std::vector<Disc> make_discs(const std::vector<Opening>& openings, const Grid& grid);

// Exact intersection of lattice lines with triangles.
//
// A lattice line passes through sites along one of 13 directions (the 26 links, each pair of opposite links once).
// Sheared along its direction, the lattice becomes a plane of integer points (u, v), one per line, and a triangle
// becomes a plane triangle; a line crosses the triangle if its point lies inside. Three edge tests decide that. The
// sign of each test is exact: a sum of two rounded products is compared without rounding, and a point on an edge or
// corner counts as moved by (e, e^2) with e infinitely small. Two triangles that share an edge give opposite signs
// there, so a line leaves a closed surface as often as it enters, even where it only touches: no crossing is counted
// twice or lost.

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
