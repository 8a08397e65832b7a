// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "bench/collisions/collision_model.hpp"
#include "bench/collisions/sites.hpp"

namespace weft::bench {

/// A slow, plain lattice: two arrays in double precision, a loop for collisions, one for streaming, one over the wall
/// links (Bouzidi's quadratic rule, as in the library; the mass that the links lose or gain in a step is distributed
/// over all links).
class ReferenceLattice {
 public:
  /// Keeps a reference to `sites`.
  ReferenceLattice(const Sites& sites, const CollisionModel& model, const Fluid& fluid);

  /// Sets a site to equilibrium.
  void set(std::size_t site, const Bulk& bulk);
  void step();

  /// The velocities in the last step's collision, including half of its force.
  std::span<const geometry::Vector> velocities() const { return velocities_; }
  const SitePopulations& populations(std::size_t site) const { return before_[site]; }

 private:
  geometry::Vector advection_at(std::size_t site) const;
  void collide();
  void stream();
  void bounce();

  const Sites& sites_;
  CollisionModel model_;
  Fluid fluid_;
  std::vector<SitePopulations> before_, after_;  // between steps, `before_` holds the state
  std::vector<geometry::Vector> velocities_, new_velocities_;
};

}  // namespace weft::bench
