// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/vector.hpp"

namespace weft::flow {

/// The derivative of the velocity along the wall's normal, as a weighted sum over sites near a point of the wall.
///
/// Each component of the velocity is fitted by a polynomial of the place by least squares. The polynomial has all terms
/// of the first and second order and those of the third order that are zero at the wall. Two kinds of data enter: the
/// velocity at a site, and the derivative of the velocity along the normal, which is the viscous stress at the site
/// over the viscosity. Sites count by (1 - (distance/reach)^2) min(1, depth/trusted)^2. That the fluid rests at the
/// wall is not used: the wall of the lattice stands some hundredths of a voxel off, and a derivative would have that
/// over the distance.
///
/// A flow whose velocity is a quadratic polynomial (Poiseuille's) is met exactly. The third order follows a layer of
/// two voxels under a pulse.
class WallFit {
 public:
  static constexpr double least_reach = 3, largest_reach = 4;  ///< voxels, from the point of the wall
  /// What a cut link sends back is interpolated, which puts the stress and the velocity of the sites beside the wall
  /// off by a per cent or two, the more the thinner the fluid is. So sites less deep than `trusted` count less, and
  /// those less deep than `nearest` are left out; voxels. (Without them all, a layer under a pulse would be lost.)
  static constexpr double trusted = 1.5, nearest = 0.45;

  /// A site near the wall.
  struct Site {
    std::uint32_t place;  ///< the caller's number
    geometry::Vector at;  ///< voxels, from the point of the wall
  };
  /// What the derivative takes of a site: `velocity` times the velocity in voxels a unit of time, plus `gradient` times
  /// the derivative along the normal at the site.
  struct Entry {
    std::uint32_t place;
    float velocity, gradient;
  };

  /// `normal`: of unit length, out of the fluid; the derivative is into the fluid. `sites`: within the largest reach.
  /// The smallest reach is taken at which independent errors of the data are not amplified, or the one that amplifies
  /// them least. Empty if the sites say too little. The same sites in the same order give the same bits.
  static std::vector<Entry> weights(const geometry::Vector& normal, std::span<const Site> sites);
};

}  // namespace weft::flow
