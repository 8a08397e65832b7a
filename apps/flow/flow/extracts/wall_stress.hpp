// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "flow/extracts/near_wall.hpp"
#include "flow/extracts/site_stress.hpp"
#include "flow/extracts/wall_fit.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "geometry/domain.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// The drag of the fluid on the wall, from what a step has left: a vector along the wall, Pa, downstream.
///
/// Walls that stand where the surface does (Bouzidi): the viscosity times the derivative of the velocity along the
/// normal, of second order, by WallFit, from the velocity and stress of the sites within 3 to 4 voxels. Where these are
/// too few (a lumen of a few voxels), and with half-way walls, which have no distance, it is what one site says:
/// the stress s in the direction of the normal, low by the site's distance over the vessel's radius, or with Bouzidi's
/// walls 2 viscosity u / d - s with the site's velocity u and distance d.
///
/// A point of the wall takes some 1 kB. The same bits on any number of ranks.
class WallStress {
 public:
  /// All but `world` are borrowed until it goes. `walls`: this rank's. Collective.
  WallStress(Transport& world, const geometry::Domain& domain, std::span<const WallSite> walls,
             const LatticeClient& client, const Scaling& scaling);

  /// Computes the drags of the last step that has left stress. Collective.
  void update();
  /// Of each wall, as of the last update; empty before it.
  std::span<const geometry::Vector> drags() const { return drags_; }

 private:
  geometry::Vector fitted(std::size_t wall, const SiteStress& stress) const;
  geometry::Vector of_site(const WallSite& wall, const SiteStress& stress) const;

  std::span<const WallSite> walls_;
  const LatticeClient& client_;
  const Scaling& scaling_;
  std::unique_ptr<NearWall> near_{};  // none: half-way walls
  std::vector<WallFit::Entry> entries_{};
  std::vector<std::size_t> first_entry_{};  // of each wall, and the end
  std::vector<geometry::Vector> drags_{};
};

}  // namespace weft::flow
