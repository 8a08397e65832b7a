// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "geometry/surface.hpp"
#include "geometry/vector.hpp"

namespace weft::phantom {

/// A point on a tube's centreline and the tube's radius there; metres.
struct TubePoint {
  geometry::Vector centre{};
  double radius = 0;
};

/// A smooth curve through the points (a centripetal Catmull-Rom spline) with interpolated radii, in pieces of about
/// `spacing`.
std::vector<TubePoint> smooth_tube(const std::vector<TubePoint>& places, double spacing);

/// Bent tubes of varying width that merge, with rounded ends: the inside has a negative distance.
///
/// The distance is that to the nearest piece. Pieces are straight and tapered, so the distance is exact except for the
/// taper and for a rounded seam (a polynomial smooth union) of `blend` where two tubes meet.
class TubeTree {
 public:
  explicit TubeTree(double blend) : blend_(blend) {}

  void add(std::vector<TubePoint> tube);

  double distance(const geometry::Vector& p) const;
  /// Unit length, outwards.
  geometry::Vector normal(const geometry::Vector& p) const;
  /// The points of each tube as it was added.
  const std::vector<TubePoint>& tube(std::size_t k) const { return tubes_[k].points; }
  std::size_t tubes() const { return tubes_.size(); }
  double blend() const { return blend_; }
  /// The bounding box: its lower and upper corner.
  std::array<geometry::Vector, 2> box() const;

 private:
  // Some consecutive pieces of a tube and a ball around them: points far from the ball need no look at the pieces.
  struct Stretch {
    std::size_t first = 0, last = 0;  // points
    geometry::Vector middle{};
    double reach = 0;
  };
  struct Tube {
    std::vector<TubePoint> points;
    std::vector<Stretch> stretches;
  };
  // Infinite if it is `enough` or more, as far as a quick test shows.
  static double distance_to(const geometry::Vector& p, const Tube& tube,
                            double enough = std::numeric_limits<double>::infinity());

  double blend_;
  std::vector<Tube> tubes_;
};

/// A straight tube from `start` to `end` with flat caps: closed, oriented outwards.
geometry::Surface make_tube(const geometry::Vector& start, const geometry::Vector& end, double radius, int around,
                            int along);

}  // namespace weft::phantom
