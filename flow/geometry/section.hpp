// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/surface.hpp"
#include "geometry/vector.hpp"

namespace weft::geometry {

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

}  // namespace weft::geometry
