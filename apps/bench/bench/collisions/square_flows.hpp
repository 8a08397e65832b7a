// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/collisions/collision_model.hpp"

namespace weft::bench {

/// Taylor's vortices in a periodic square, carried along by a mean velocity: they keep their form, and each velocity
/// decays as exp(-2 viscosity k^2 t). Two waves: (p, q) and (-q, p), times 2 pi / size.
struct VortexFlow {
  int size, p, q;
  double viscosity = 0.002;
  double peak = 0.05;  ///< in voxels a step
  geometry::Vector mean_velocity = {0.1, 0.05, 0};
};
/// Of the rate of decay, relative; measured from 1 / rate to 2 / rate. Not a number: unstable.
double decay_error(const CollisionModel& model, const VortexFlow& flow);

/// Two thin shear layers that roll up (Minion, Brown, J. Comput. Phys. 138 (1997) 734).
struct ShearLayer {
  double reynolds;  ///< velocity x size / viscosity
  int size = 64;
  double velocity = 0.05;  ///< in voxels a step
  double sharpness = 80;   ///< kappa: a layer is size / kappa wide
  double wave = 0.05;      ///< across the layers, over the velocity
  double crossings = 1.5;  ///< how long: times size / velocity
};
/// Whether its kinetic energy never passes 1.05 times that at the start.
bool is_stable(const CollisionModel& model, const ShearLayer& flow);

}  // namespace weft::bench
