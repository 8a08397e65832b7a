// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/collisions/collision_model.hpp"

namespace weft::bench {

/// Taylor's vortices in a periodic square with a mean velocity: they keep their form, and the velocity decays as exp(-2
/// viscosity k^2 t). Two waves with the wave vectors (p, q) and (-q, p) times 2 pi / size.
struct VortexFlow {
  int size, p, q;
  double viscosity = 0.002;
  double peak = 0.05;  ///< in voxels per step
  geometry::Vector mean_velocity = {0.1, 0.05, 0};
};
/// Relative error of the decay rate, measured from 1 / rate to 2 / rate. Not a number if unstable.
double decay_error(const CollisionModel& model, const VortexFlow& flow);

/// Two thin shear layers that roll up (Minion, Brown, J. Comput. Phys. 138 (1997) 734).
struct ShearLayer {
  double reynolds;  ///< velocity x size / viscosity
  int size = 64;
  double velocity = 0.05;  ///< in voxels per step
  double sharpness = 80;   ///< kappa: a layer is size / kappa wide
  double wave = 0.05;      ///< perturbation across the layers, relative to the velocity
  double crossings = 1.5;  ///< duration, in units of size / velocity
};
/// Whether the kinetic energy never exceeds 1.05 times the initial one.
bool is_stable(const CollisionModel& model, const ShearLayer& flow);

}  // namespace weft::bench
