// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "flow/scaling/scaling.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/wall_sites.hpp"

namespace weft::flow {

/// The viscous stress at a site, Pa: xx yy zz, xy xz yz.
using Tensor = std::array<double, 6>;

/// The drag of the fluid on the wall, from what a step has left: a vector along the wall, Pa, downstream.
///
/// At the site it is the stress in the direction of the wall's normal, s = -(sigma n) along the wall. Walls that stand
/// where the surface does (Bouzidi) tell the shear rate between wall and site, too, |u| / d, so s is carried on to the
/// wall, of second order: 2 viscosity u / d - s. Half-way walls don't (a staircase has no distance), so there it is s:
/// low by d over the vessel's radius. So it is nearer than a fifth of a voxel, where both are the same and u / d would
/// only add noise.
class WallStress {
 public:
  /// All are borrowed. Holds until the next step that leaves stress or fields.
  WallStress(const LatticeClient& client, const Scaling& scaling);

  bool is_there() const { return !stress_.slot.empty(); }
  Tensor at_site(std::uint32_t site) const;
  geometry::Vector operator()(const WallSite& wall) const;

 private:
  const LatticeClient& client_;
  const Scaling& scaling_;
  lattice::SparseLattice::StressFields stress_;
  lattice::SparseLattice::Fields fields_;
  double unit_;  ///< Pa
};

}  // namespace weft::flow
