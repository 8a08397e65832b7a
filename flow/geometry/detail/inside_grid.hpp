// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace weft::geometry::detail {

/// The voxels inside a closed surface, each with its distance from the wall. For analysis on one rank: it stores the
/// bounding box.
struct InsideGrid {
  Grid grid;
  std::vector<std::int32_t> number;  ///< of each voxel of the box (Grid::site_id): its index in `inside`, -1 outside
  std::vector<Position> inside;      ///< ascending by site_id
  std::vector<std::int32_t> part;    ///< of each: its connected part; 0 is the largest
  std::vector<std::int64_t> part_sizes;  ///< voxels of each part; a few isolated voxels are not a part
  std::vector<float> radius;  ///< of each: distance to the nearest outside voxel, minus half a voxel (metres)

  /// The inside voxel nearest to a point.
  std::int32_t nearest(const Vector& place) const;
  Vector centre(std::int32_t i) const { return grid.centre(inside[static_cast<std::size_t>(i)]); }
};

/// Fills a surface with about `voxels` voxels (fewer in a nearly empty box). Everything that the surface surrounds is
/// inside, also where its parts overlap and if it is inside out. Time and memory grow with the box, which has at most
/// 16 million voxels.
InsideGrid fill_inside(const Surface& surface, double voxels);

}  // namespace weft::geometry::detail
