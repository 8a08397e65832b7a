// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/vector.hpp"

namespace weft::flow {

/// The derivative of the velocity along the wall's normal, as a weighted sum over sites near a point of the wall.
///
/// Each component of the velocity is fitted by a polynomial of the position by least squares. The polynomial has all
/// terms of the first and second order and those of the third order that are zero at the wall. The data are the
/// velocity at each site, and its derivative along the normal, which is the viscous stress at the site / viscosity. The
/// weight of a site is (1 - (distance/reach)^2) min(1, depth/trusted)^2. The no-slip condition at the wall is not used:
/// the lattice's wall is off by some hundredths of a voxel, and the derivative would have an error of that over the
/// distance.
///
/// A flow with a quadratic velocity profile (Poiseuille) is reproduced exactly. The third order resolves a layer of two
/// voxels under a pulse.
class WallFit {
 public:
  static constexpr double least_reach = 3, largest_reach = 4;  ///< voxels, from the point of the wall
  /// The populations reflected at a cut link are interpolated, which causes errors of one or two per cent in the stress
  /// and velocity of the sites beside the wall, larger ones at low viscosity. Therefore sites less deep than `trusted`
  /// have lower weights, and those less deep than `nearest` are omitted; voxels. (Omitting all of them would lose a
  /// layer under a pulse.)
  static constexpr double trusted = 1.5, nearest = 0.45;

  /// A site near the wall.
  struct Site {
    std::uint32_t place;  ///< the caller's index
    geometry::Vector at;  ///< voxels, from the point of the wall
  };
  /// The contribution of a site to the derivative: `velocity` x velocity in voxels per unit of time + `gradient` x
  /// derivative along the normal at the site.
  struct Entry {
    std::uint32_t place;
    float velocity, gradient;
  };

  /// `normal`: unit length, out of the fluid; the derivative is into the fluid. `sites`: within the largest reach. Uses
  /// the smallest reach that does not amplify independent errors of the data, or the one that amplifies them least.
  /// Empty if the sites do not determine the fit. The same sites in the same order give bitwise identical weights.
  static std::vector<Entry> weights(const geometry::Vector& normal, std::span<const Site> sites);
};

}  // namespace weft::flow
