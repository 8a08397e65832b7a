// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/surface.hpp"
#include "geometry/vector.hpp"

namespace weft::geometry {

/// A point of a plane, in its own coordinates (metres).
using Point = std::array<double, 2>;
/// A closed curve of a plane: the last point is joined to the first.
using Polygon = std::vector<Point>;

/// A plane with axes of its own; u, v, normal are right-handed and of unit length.
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
  /// Inside is to the left: counter-clockwise around a lumen, clockwise around what it flows around.
  Polygon points;
  /// Of each point the edge of the surface that it lies on: its vertex below the plane and the one above.
  std::vector<std::array<std::uint32_t, 2>> edges;
  std::vector<std::uint32_t> triangles;  ///< that the way from each point to the next lies in
};

/// All of them. The surface is closed and oriented outwards; vertices on the plane count as below it, so that every
/// curve closes, whatever the plane meets. The order depends on nothing but the surface and the plane.
std::vector<Ring> cut(const Surface& surface, const Plane& plane);

/// Positive if counter-clockwise.
double area(const Polygon& polygon);
Point centroid(const Polygon& polygon);
bool contains(const Polygon& polygon, const Point& p);
/// From a point to the nearest and to the farthest one of the curve.
std::array<double, 2> distances(const Polygon& polygon, const Point& p);

}  // namespace weft::geometry
