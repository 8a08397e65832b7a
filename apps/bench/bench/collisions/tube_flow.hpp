// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/collisions/collision_model.hpp"
#include "bench/collisions/sites.hpp"

namespace weft::bench {

struct TubeFlow {
  double reynolds;              ///< mean velocity x diameter / viscosity
  double radii_viscous = 0.7;   ///< how long: so many times radius squared / viscosity
  double mean_velocity = 0.05;  ///< in voxels a step
};

/// Not numbers where the flow became unstable.
struct TubeErrors {
  double drop;  ///< how much more the pressure must drop for the flow than by Poiseuille
  double
      profile;  ///< root mean square over the sites: off the parabola of the same flow, as a part of the mean velocity
  bool is_stable() const { return drop == drop; }
};

/// Begins with Poiseuille's flow and drives it by the force that keeps that flow up.
TubeErrors errors_of(const PeriodicTube& tube, const CollisionModel& model, const TubeFlow& flow);

}  // namespace weft::bench
