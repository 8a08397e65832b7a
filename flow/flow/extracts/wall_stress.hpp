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

/// The wall shear stress, from the stored values of a step: a vector along the wall, Pa, downstream.
///
/// With walls at the surface's position (Bouzidi): viscosity x derivative of the velocity along the normal,
/// second-order accurate, by WallFit, from the velocity and stress of the sites within 3 to 4 voxels. If these are too
/// few (a lumen of a few voxels), and with half-way walls, which have no distance, a single site is used: the stress s
/// in the direction of the normal, too low by the site's distance / vessel radius; or with Bouzidi walls 2 viscosity u
/// / d - s with the site's velocity u and distance d.
///
/// A run has one object for all uses: extracts, averages, pictures and the summary's maps. It needs no memory before
/// prepare(), then about 1 kB per point of the wall. Results are bitwise identical on any number of ranks.
class WallStress {
 public:
  /// All are borrowed for the object's lifetime.
  WallStress(Transport& world, const geometry::Domain& domain, const LatticeClient& client, const Scaling& scaling);

  /// This rank's points of the wall; searched at the first call.
  std::span<const WallSite> find_walls();
  /// Prepares update(), once; takes longer than many steps. Collective.
  void prepare();
  /// Computes the stress vectors of the last step, if it has stored its stress and they are not computed yet.
  /// Collective among ranks that share walls; the first time among all.
  void update();
  /// The same for a single use at the end of a run: without prepare() the weights are computed point by point and not
  /// stored. Collective.
  void update_once();

  /// The points of the wall; empty before find_walls().
  std::span<const WallSite> walls() const { return walls_; }
  /// The stress vector at each of walls(), at step(); empty before the first update.
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
  std::unique_ptr<NearWall> near_{};  // null: half-way walls
  std::vector<WallFit::Entry> entries_{};
  std::vector<std::size_t> first_entry_{};  // for each wall, and the end
  std::vector<geometry::Vector> drags_{};
};

}  // namespace weft::flow
