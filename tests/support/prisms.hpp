// SPDX-License-Identifier: BSD-3-Clause
//
// Straight vessels with any cross-section, as closed surfaces.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "geometry/section.hpp"
#include "tests/support/geometry_shapes.hpp"

namespace weft::geometry::test {

/// Counter-clockwise, around the origin.
inline Polygon ellipse(double a, double b, int corners = 128) {
  Polygon polygon;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2 * std::numbers::pi * k / corners;
    polygon.push_back({a * std::cos(angle), b * std::sin(angle)});
  }
  return polygon;
}

/// Half a disc, its straight side down; the origin is inside.
inline Polygon d_shape(double radius, int corners = 64) {
  Polygon polygon;
  for (int k = 0; k <= corners; ++k) {
    const double angle = std::numbers::pi * k / corners;
    polygon.push_back({radius * std::cos(angle), radius * (std::sin(angle) - 0.4)});
  }
  return polygon;
}

/// A bean: concave on one side.
inline Polygon bean(double radius, int corners = 128) {
  Polygon polygon;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2 * std::numbers::pi * k / corners;
    const double r =
        radius *
        (1 - 0.45 * std::exp(-4 * std::pow(std::remainder(angle - std::numbers::pi / 2, 2 * std::numbers::pi), 2)));
    polygon.push_back({r * std::cos(angle), r * std::sin(angle)});
  }
  return polygon;
}

/// From `plane` along its normal, closed by flat caps around the polygon's origin.
inline Surface prism(const Polygon& polygon, const Plane& plane, double length) {
  Surface s;
  const auto n = static_cast<std::uint32_t>(polygon.size());
  for (const double at : {0.0, length})
    for (const auto& p : polygon) s.vertices.push_back(plane.at(p) + at * plane.normal);
  s.vertices.push_back(plane.origin);
  s.vertices.push_back(plane.origin + length * plane.normal);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto j = (i + 1) % n;
    s.triangles.insert(s.triangles.end(), {{i, j, n + i}, {j, n + j, n + i}, {j, i, 2 * n}, {n + i, n + j, 2 * n + 1}});
  }
  return s;
}

/// Rounded at both ends: `from` and `to` are the centres of half spheres.
inline Surface capsule(const Vector& from, const Vector& to, double radius, int sides) {
  const auto plane = Plane::through(from, to - from);
  const double between = length(to - from);
  Surface s;
  const int quarter = sides / 4;
  s.vertices.push_back(from - radius * plane.normal);
  for (int ring = 1; ring <= 2 * quarter; ++ring) {
    const bool is_far = ring > quarter;
    const double angle = std::numbers::pi / 2 * (is_far ? ring - quarter - 1 : ring - quarter) / quarter;
    for (const auto& p : ellipse(radius * std::cos(angle), radius * std::cos(angle), sides))
      s.vertices.push_back(plane.at(p) + (radius * std::sin(angle) + (is_far ? between : 0)) * plane.normal);
  }
  s.vertices.push_back(to + radius * plane.normal);
  const auto n = static_cast<std::uint32_t>(sides), last = static_cast<std::uint32_t>(s.vertices.size() - 1);
  const auto at = [&](std::uint32_t ring, std::uint32_t k) { return 1 + ring * n + k % n; };
  const auto rings = static_cast<std::uint32_t>(2 * quarter);
  for (std::uint32_t k = 0; k < n; ++k) {
    s.triangles.push_back({0, at(0, k + 1), at(0, k)});
    for (std::uint32_t r = 0; r + 1 < rings; ++r) {
      s.triangles.push_back({at(r, k), at(r, k + 1), at(r + 1, k)});
      s.triangles.push_back({at(r + 1, k), at(r, k + 1), at(r + 1, k + 1)});
    }
    s.triangles.push_back({at(rings - 1, k), at(rings - 1, k + 1), last});
  }
  return s;
}

/// A ring of a tube around the z axis.
inline Surface torus(double ring_radius, double radius, int around, int sides) {
  Surface s;
  for (int i = 0; i < around; ++i)
    for (int k = 0; k < sides; ++k) {
      const double a = 2 * std::numbers::pi * i / around, b = 2 * std::numbers::pi * k / sides,
                   r = ring_radius + radius * std::cos(b);
      s.vertices.push_back({r * std::cos(a), r * std::sin(a), radius * std::sin(b)});
    }
  const auto at = [&](int i, int k) { return static_cast<std::uint32_t>(i % around * sides + k % sides); };
  for (int i = 0; i < around; ++i)
    for (int k = 0; k < sides; ++k) {
      s.triangles.push_back({at(i, k), at(i + 1, k), at(i, k + 1)});
      s.triangles.push_back({at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)});
    }
  return s;
}

}  // namespace weft::geometry::test
