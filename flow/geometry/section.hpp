// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"
#include "geometry/vector.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// A point of a plane in the plane's coordinates (metres).
using Point = std::array<double, 2>;
/// A closed curve in a plane: the last point is joined to the first.
using Polygon = std::vector<Point>;

/// A plane with its axes; u, v, normal are right-handed and of unit length.
struct Plane {
  Vector origin{}, u{}, v{}, normal{};

  static Plane through(const Vector& origin, const Vector& normal);
  Plane moved(double along_normal) const { return {origin + along_normal * normal, u, v, normal}; }
  Point flat(const Vector& p) const { return {dot(p - origin, u), dot(p - origin, v)}; }
  Vector at(const Point& p) const { return origin + p[0] * u + p[1] * v; }
  double above(const Vector& p) const { return dot(p - origin, normal); }
};

/// One of the closed curves in which a plane cuts a closed surface.
struct Ring {
  /// Inside is to the left: counter-clockwise around a lumen, clockwise around an obstacle.
  Polygon points;
  /// Of each point the edge of the surface on which it lies: its vertex below the plane and the one above.
  std::vector<std::array<std::uint32_t, 2>> edges;
  std::vector<std::uint32_t> triangles;  ///< the triangle of the segment from each point to the next
};

/// All rings of a section. The surface must be closed and oriented outwards; vertices on the plane count as below it,
/// so that every curve closes. The order depends only on the surface and the plane.
std::vector<Ring> cut(const Surface& surface, const Plane& plane);

/// Positive if counter-clockwise.
double area(const Polygon& polygon);
Point centroid(const Polygon& polygon);
bool contains(const Polygon& polygon, const Point& p);
/// The distances from a point to the nearest and to the farthest point of the curve.
std::array<double, 2> distances(const Polygon& polygon, const Point& p);

/// The lumen at an opening: the fluid's cross-section, whatever the size of the disc that marks the opening.
struct Lumen {
  Plane plane;                   ///< its origin is the disc's centre, or up to a voxel further inside
  std::vector<Polygon> rings{};  ///< of the lumen at the disc: the outer ring, then those of obstacles. None: no fluid
  double area = 0;               ///< m^2
  double reach = 0;              ///< m, from the disc's centre to its farthest point
  std::vector<double> others{};  ///< m^2, of further lumens that the disc cuts

  bool exists() const { return !rings.empty(); }
};

/// The lumen of each opening of a closed surface. If the disc lies on the vessel's end (a flat cap, a closed hole), the
/// lumen just inside of the end is used. Of several lumens in the disc's plane the one around its centre counts, else
/// the nearest one.
std::vector<Lumen> find_lumens(const Surface& surface, const std::vector<Opening>& openings, double voxel);

/// The disc itself, for a vessel without a surface.
Lumen round_lumen(const Opening& opening);

}  // namespace geometry
}  // namespace weft
