// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "geometry/vector.hpp"

namespace weft::phantom {

/// A place on a tube's centreline and how wide the tube is there; metres.
struct TubePoint {
  geometry::Vector centre{};
  double radius = 0;
};

/// A smooth curve through the places (a centripetal Catmull-Rom spline), its radii interpolated with it, in pieces of
/// about `spacing`.
std::vector<TubePoint> smooth_tube(const std::vector<TubePoint>& places, double spacing);

/// Bent tubes of changing width that flow into each other, with rounded ends: what lies inside has a negative distance.
///
/// The distance is that to the nearest of the pieces, which are straight and taper, so it is exact but for the taper
/// and for a rounded seam (a polynomial smooth union) of `blend` wherever two tubes meet.
class TubeTree {
 public:
  explicit TubeTree(double blend) : blend_(blend) {}

  void add(std::vector<TubePoint> tube);

  double distance(const geometry::Vector& p) const;
  /// Unit length, outwards.
  geometry::Vector normal(const geometry::Vector& p) const;
  /// Each as it was added.
  const std::vector<TubePoint>& tube(std::size_t k) const { return tubes_[k].points; }
  std::size_t tubes() const { return tubes_.size(); }
  double blend() const { return blend_; }
  /// A box that holds it all: its lower and upper corner.
  std::array<geometry::Vector, 2> box() const;

 private:
  // Some pieces of a tube in a row, and a ball around them: what is nearer than the ball needs no look at them.
  struct Stretch {
    std::size_t first = 0, last = 0;  // points
    geometry::Vector middle{};
    double reach = 0;
  };
  struct Tube {
    std::vector<TubePoint> points;
    std::vector<Stretch> stretches;
  };
  // Infinite where it is `enough` or more, if that shows at once.
  static double distance_to(const geometry::Vector& p, const Tube& tube,
                            double enough = std::numeric_limits<double>::infinity());

  double blend_;
  std::vector<Tube> tubes_;
};

}  // namespace weft::phantom
