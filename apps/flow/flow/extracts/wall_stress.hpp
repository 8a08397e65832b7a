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
/// A run has one of these for all who want it: extracts, averages, pictures and the summary's maps. It takes nothing
/// until it is asked for; from then on a point of the wall takes some 1 kB. The same bits on any number of ranks.
class WallStress {
 public:
  /// All are borrowed until it goes.
  WallStress(Transport& world, const geometry::Domain& domain, const LatticeClient& client, const Scaling& scaling);

  /// This rank's points of the wall, which are looked for the first time.
  std::span<const WallSite> find_walls();
  /// Makes what update() needs, if it is not there; takes longer than many steps. Collective.
  void prepare();
  /// Computes the drags of the step that is just done, if it has left stress and they are not there yet. Collective
  /// among ranks that share walls; the first time among all.
  void update();
  /// The same for who does it once, at a run's end: what is not prepared is made point by point and not kept.
  /// Collective.
  void update_once();

  /// Those that were found; empty before.
  std::span<const WallSite> walls() const { return walls_; }
  /// Of each of walls(), of step(); empty before the first update.
  std::span<const geometry::Vector> drags() const { return drags_; }
  std::int64_t step() const { return step_; }  ///< -1: none yet

 private:
  bool is_there() const;
  geometry::Vector fitted(const WallSite& wall, std::span<const WallFit::Entry> entries, const NearWall& near,
                          const SiteStress& stress) const;
  geometry::Vector of_site(const WallSite& wall, const SiteStress& stress) const;

  Transport& world_;
  const geometry::Domain& domain_;
  const LatticeClient& client_;
  const Scaling& scaling_;
  bool is_found_ = false, is_prepared_ = false;
  std::int64_t step_ = -1;
  std::vector<WallSite> walls_{};
  std::unique_ptr<NearWall> near_{};  // none: half-way walls
  std::vector<WallFit::Entry> entries_{};
  std::vector<std::size_t> first_entry_{};  // of each wall, and the end
  std::vector<geometry::Vector> drags_{};
};

}  // namespace weft::flow
