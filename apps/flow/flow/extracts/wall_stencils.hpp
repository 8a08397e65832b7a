// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "geometry/vector.hpp"

namespace weft::flow {

/// A site beside the wall, as the surface's triangles see it.
struct WallPoint {
  std::int64_t id;          ///< Grid::site_id, the same on any number of ranks
  geometry::Vector at;      ///< on the surface, m
  geometry::Vector normal;  ///< out of the fluid, of unit length
};

/// What a triangle's value takes of the wall points around it.
///
/// A triangle is halved across its longest edge until none is longer than a voxel. In the middle of each piece the
/// value is that of the plane that fits the points within two voxels best (least squares, nearer ones count more;
/// distance off the triangle's plane counts twice), so a field that is linear along the wall is met exactly; where the
/// points say too little for a plane it is their weighted mean. Only points whose normal is within 60 degrees of the
/// triangle's count: not those of a neighbouring vessel's wall, or of the wall opposite. Pieces count by their area;
/// those without points don't.
class WallStencils {
 public:
  static constexpr double reach = 2;  ///< voxels

  struct Entry {
    std::uint32_t point;
    float weight;
  };

  /// The points are borrowed, ascending by id.
  WallStencils(std::span<const WallPoint> points, double voxel);

  /// Of a triangle whose normal points out of the fluid: ascending by point, weights add up to 1. Empty: no points are
  /// near. A point that is near is in it whatever other points there are. The same points give the same bits.
  std::vector<Entry> of(const std::array<geometry::Vector, 3>& corners) const;

 private:
  struct Near {
    std::uint32_t point;
    double u, v, weight;  // along the triangle's plane from the sample, voxels
  };
  bool is_far(const std::array<geometry::Vector, 3>& piece) const;
  std::int64_t cell_of(const std::array<std::int64_t, 3>& place) const;
  std::array<std::int64_t, 3> place_of(const geometry::Vector& at) const;
  void find_near(const geometry::Vector& sample, const std::array<geometry::Vector, 3>& axes,
                 std::vector<Near>& near) const;

  std::span<const WallPoint> points_;
  double voxel_;
  geometry::Vector low_{}, high_{};
  std::unordered_map<std::int64_t, std::vector<std::uint32_t>> cells_;
};

}  // namespace weft::flow
