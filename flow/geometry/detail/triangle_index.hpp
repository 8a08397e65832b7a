// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "geometry/detail/crossing.hpp"
#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace weft::geometry::detail {

/// A box of sites, both ends included.
struct Box {
  std::array<std::int32_t, 3> low, high;
};

/// Finds the triangles along a column and around a block.
///
/// Embree's bounding volume hierarchy does the search, over boxes a little larger than parts of the triangles, so that
/// its single precision misses none; crosses() decides about every triangle in double precision. Coordinates are in
/// sites: a vertex at (3, 0, 0) is at site (3, 0, 0). Several threads may search at a time.
class TriangleIndex {
 public:
  TriangleIndex(const Surface& surface, const Grid& grid);
  ~TriangleIndex();
  TriangleIndex(const TriangleIndex&) = delete;
  TriangleIndex& operator=(const TriangleIndex&) = delete;

  /// All crossings of the line upwards through (x, y), ascending.
  void column(std::int32_t x, std::int32_t y, std::vector<Crossing>& crossings) const;
  /// All triangles that touch the box (and some that are only near it), ascending.
  void near(const Box& box, std::vector<std::uint32_t>& triangles) const;

  const std::array<Vector, 3>& corners(std::uint32_t triangle) const;
  /// Not normalised.
  Vector normal(std::uint32_t triangle) const;

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

}  // namespace weft::geometry::detail
