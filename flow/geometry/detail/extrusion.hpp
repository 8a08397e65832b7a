// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "geometry/section.hpp"

namespace weft::geometry::detail {

/// A straight tube that begins with a lumen's outline and continues against the plane's normal.
struct Extrusion {
  struct Level {
    double depth;  ///< beyond the plane, m
    Polygon outline;
  };
  std::vector<Level> levels;  ///< the first on the plane, the last at the end; all with equally many points
  Point axis{};               ///< its middle
  double radius = 0;          ///< of the last level, about the axis
};

/// A tube of length `length` beyond the plane. If `round`, the outline becomes a circle of the same area over the first
/// part: half the length, or one diameter if that is less. Nothing if the outline would fold.
std::optional<Extrusion> extrude(const Polygon& outline, double length, bool round);

/// A point where a surface lies in the tube beyond the plane, or within `margin` beyond the tube's end; nothing if
/// there is none. The triangles are of a surface that the plane cuts along the outline.
std::optional<Vector> meets(const Extrusion& extrusion, const Plane& plane, const Surface& surface, double margin);

}  // namespace weft::geometry::detail
