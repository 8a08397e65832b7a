// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "bench/collisions/collision_model.hpp"
#include "bench/collisions/sites.hpp"

namespace weft::bench {

/// Slow and plain: two arrays in double precision, a loop that collides, one that streams, one over the walls' links
/// (Bouzidi's, quadratic, as the library's; what a step's links lose or gain, all links share).
class ReferenceLattice {
 public:
  /// Keeps a reference to `sites`.
  ReferenceLattice(const Sites& sites, const CollisionModel& model, const Fluid& fluid);

  /// The equilibrium of a site.
  void set(std::size_t site, const Bulk& bulk);
  void step();

  /// As the last step's collision met them, with half of its force.
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
  std::vector<SitePopulations> before_, after_;  // between steps, `before_` has all
  std::vector<geometry::Vector> velocities_, new_velocities_;
};

}  // namespace weft::bench
