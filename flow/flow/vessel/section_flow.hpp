// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "geometry/section.hpp"

namespace weft::flow {

/// The points of a square grid inside a cross-section of any shape, and their distances from the wall.
class SectionGrid {
 public:
  /// The neighbour of a point on one side: a point, or the wall.
  struct Side {
    std::int32_t next = -1;  ///< index of that point; -1: wall
    double distance = 1;     ///< to it, or to the wall, in grid widths; above 0, at most 1
  };
  enum : std::size_t { left, right, down, up };

  /// Rings as in geometry::Lumen; `points`: about this number along the square root of the area.
  SectionGrid(const std::vector<geometry::Polygon>& rings, double area, int points);

  double width() const { return width_; }  ///< m, of the grid
  std::size_t size() const { return sides_.size(); }
  /// The sides of a point, in the order left, right, down, up. Points are numbered by rows, so left and down have lower
  /// numbers.
  const std::array<Side, 4>& sides(std::size_t k) const { return sides_[k]; }
  /// Interpolates a field that is 0 at the wall at any point of the plane; 0 beyond the wall. Second order.
  double interpolate(const std::vector<double>& field, const geometry::Point& p) const;

 private:
  std::int32_t number(std::int32_t i, std::int32_t j) const;
  double at(const std::vector<double>& field, std::int32_t i, std::int32_t j) const;

  const std::vector<geometry::Polygon> rings_;
  geometry::Point origin_{};
  double width_ = 1;
  std::int32_t columns_ = 0, rows_ = 0;
  std::vector<std::int32_t> numbers_;  // for each point of the bounding box, by rows; -1: not inside
  std::vector<std::array<Side, 4>> sides_;
};

/// Steady flow in a long straight vessel with this cross-section, velocity / mean: -laplace u = 1, u = 0 at the wall.
/// For a circle the parabola. Returns the values at the grid's points.
///
/// Second-order finite differences with the wall at its exact position (Gibou et al., J. Comput. Phys. 176 (2002) 205);
/// conjugate gradients, preconditioned by an incomplete factorisation. A grid of 100 x 100 takes some 20 ms.
std::vector<double> steady_flow(const SectionGrid& grid);

/// The same for an oscillating flow, as a complex amplitude: i rate u - laplace u = 1, where rate is the angular
/// frequency / kinematic viscosity (1/m^2). For a circle Womersley's profile.
struct OscillatingFlow {
  std::vector<double> real, imaginary;
};
OscillatingFlow oscillating_flow(const SectionGrid& grid, double rate);

}  // namespace weft::flow
