// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/section.hpp"

namespace weft::flow {

/// Points of a square grid inside a cross-section of any shape, and how far the wall is from each.
class SectionGrid {
 public:
  /// A side of a point: the next one, or else the wall.
  struct Side {
    std::int32_t next = -1;  ///< number of the point there
    double distance = 1;     ///< to it, or to the wall, in widths of the grid; above 0, at most 1
  };
  enum : std::size_t { left, right, down, up };

  /// Rings as in geometry::Lumen; `points` about so many along the root of its area.
  SectionGrid(const std::vector<geometry::Polygon>& rings, double area, int points);

  double width() const { return width_; }  ///< m, of the grid
  std::size_t size() const { return sides_.size(); }
  /// Of a point, in order left, right, down, up. Numbers run by rows, so that left and down are lower ones.
  const std::array<Side, 4>& sides(std::size_t k) const { return sides_[k]; }
  /// What a field that is 0 at the wall is at any point of the plane; 0 beyond the wall. Second order.
  double interpolate(const std::vector<double>& field, const geometry::Point& p) const;

 private:
  std::int32_t number(std::int32_t i, std::int32_t j) const;
  double at(const std::vector<double>& field, std::int32_t i, std::int32_t j) const;

  const std::vector<geometry::Polygon> rings_;
  geometry::Point origin_{};
  double width_ = 1;
  std::int32_t columns_ = 0, rows_ = 0;
  std::vector<std::int32_t> numbers_;  // of each place of the box, by rows; -1: not inside
  std::vector<std::array<Side, 4>> sides_;
};

}  // namespace weft::flow
