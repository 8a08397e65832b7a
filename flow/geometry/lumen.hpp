// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/domain.hpp"
#include "geometry/section.hpp"
#include "geometry/surface.hpp"

namespace weft::geometry {

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

}  // namespace weft::geometry
