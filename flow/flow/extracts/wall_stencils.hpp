// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "geometry/vector.hpp"

namespace weft::flow {

/// The point on the surface of a site beside the wall.
struct WallPoint {
  std::int64_t id;          ///< Grid::site_id, independent of the number of ranks
  geometry::Vector at;      ///< on the surface, m
  geometry::Vector normal;  ///< out of the fluid, of unit length
};

/// The weights of wall points in a triangle's value.
///
/// A triangle is halved across its longest edge until no edge is longer than a voxel. The value at the centre of each
/// piece is that of a plane fitted to the points within two voxels (least squares, with larger weights for nearer
/// points; distance from the triangle's plane counts twice), so a field that is linear along the wall is reproduced
/// exactly. If the points do not determine a plane, the value is their weighted mean. Only points whose normal is
/// within 60 degrees of the triangle's are used, which excludes the wall of a neighbouring vessel and the opposite
/// wall. Pieces are weighted by area; those without points are omitted.
class WallStencils {
 public:
  static constexpr double reach = 2;  ///< voxels

  struct Entry {
    std::uint32_t point;
    float weight;
  };

  /// The points are borrowed, ascending by id.
  WallStencils(std::span<const WallPoint> points, double voxel);

  /// The weights for a triangle whose normal points out of the fluid, ascending by point; their sum is 1. Empty if no
  /// point is near. Each near point is included, independent of the other points. The same points give bitwise
  /// identical weights.
  std::vector<Entry> of(const std::array<geometry::Vector, 3>& corners) const;

 private:
  struct Near {
    std::uint32_t point;
    double u, v, weight;  // u, v: in the triangle's plane from the sample, voxels
  };
  bool is_far(const std::array<geometry::Vector, 3>& piece) const;
  std::int64_t cell_of(const std::array<std::int64_t, 3>& place) const;
  std::array<std::int64_t, 3> cell_index_of(const geometry::Vector& at) const;
  void find_near(const geometry::Vector& sample, const std::array<geometry::Vector, 3>& axes,
                 std::vector<Near>& near) const;

  std::span<const WallPoint> points_;
  double voxel_;
  geometry::Vector low_{}, high_{};
  std::unordered_map<std::int64_t, std::vector<std::uint32_t>> cells_;
};

}  // namespace weft::flow
