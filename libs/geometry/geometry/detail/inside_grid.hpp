// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace weft::geometry::detail {

/// The voxels inside a closed surface, each with its distance from the wall. For analysis on one rank: it holds the
/// bounding box.
struct InsideGrid {
  Grid grid;
  std::vector<std::int32_t> number;  ///< of each voxel of the box (Grid::site_id): its place in `inside`, -1 outside
  std::vector<Position> inside;      ///< ascending by site_id
  std::vector<std::int32_t> part;    ///< of each: which of the parts that are not connected; 0 is the largest
  std::vector<std::int64_t> part_sizes;  ///< voxels of each part; a few voxels alone are no part
  std::vector<float> radius;             ///< of each: to the nearest voxel that is outside, less half a voxel (metres)

  /// The inside voxel nearest to a place.
  std::int32_t nearest(const Vector& place) const;
  Vector centre(std::int32_t i) const { return grid.centre(inside[static_cast<std::size_t>(i)]); }
};

/// Fills a surface with about `voxels` voxels (fewer in a box that is nearly empty). What the surface goes around is
/// inside, also where its parts overlap and if it is inside out. Time and memory grow with the box, of at most 16
/// million voxels.
InsideGrid fill_inside(const Surface& surface, double voxels);

}  // namespace weft::geometry::detail
