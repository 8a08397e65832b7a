// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "geometry/vector.hpp"
#include "lattice/d3q27.hpp"

namespace weft::bench {

using Position = std::array<int, 3>;

/// A link from a site through the wall.
struct WallLink {
  int site;
  std::size_t out, in;  ///< directions to the wall, and back
  int behind;           ///< the site on the other side, along `in`; -1: none
  double cut;           ///< position of the wall on the link, 0 at the site, 1 at the missing neighbour
};

/// A periodic list of sites.
struct Sites {
  static constexpr int none = -1;
  std::vector<Position> positions;
  std::vector<std::array<int, lattice::D3Q27::directions>> neighbours;  ///< none: behind a wall
  std::vector<WallLink> links;

  std::size_t count() const { return positions.size(); }
  geometry::Vector place(std::size_t site) const {
    const auto& p = positions[site];
    return {double(p[0]), double(p[1]), double(p[2])};
  }
};

/// size x size x 1 sites, periodic along all axes.
Sites periodic_square(int size);

/// A round tube, periodic along the integer vector `period`: x + period is the same point as x. So the tube may lie at
/// any angle to the lattice, has no ends, and needs few sites.
class PeriodicTube {
 public:
  PeriodicTube(const Position& period, double radius);

  const Sites& sites() const { return sites_; }
  double radius() const { return radius_; }
  const geometry::Vector& direction() const { return direction_; }
  /// 1 on the axis, 0 at the wall.
  double parabola(const geometry::Vector& place) const;

 private:
  Position in_first_period(Position p) const;
  double cut(const geometry::Vector& inside, const geometry::Vector& step) const;

  Position period_;
  double radius_;
  geometry::Vector direction_;
  Sites sites_;
};

}  // namespace weft::bench
