// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/collisions/collision_model.hpp"
#include "bench/collisions/sites.hpp"

namespace weft::bench {

struct TubeFlow {
  double reynolds;              ///< mean velocity x diameter / viscosity
  double radii_viscous = 0.7;   ///< duration, in units of radius^2 / viscosity
  double mean_velocity = 0.05;  ///< in voxels per step
};

/// Not a number if the flow became unstable.
struct TubeErrors {
  double drop;     ///< excess of the pressure drop over Poiseuille's for the same flow, relative
  double profile;  ///< deviation from the parabola with the same flow, root mean square / mean velocity
  bool is_stable() const { return drop == drop; }
};

/// Starts with Poiseuille's flow and applies the force that maintains it.
TubeErrors errors_of(const PeriodicTube& tube, const CollisionModel& model, const TubeFlow& flow);

}  // namespace weft::bench
