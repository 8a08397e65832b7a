// SPDX-License-Identifier: BSD-3-Clause
//
// Bounds for a valid result: the check reports violations, scaling and steering stay within.
#pragma once

#include "flow/case/case.hpp"

namespace weft::flow::validity {

inline constexpr double highest_tau = 1.2;
/// Below it disturbances hardly decay. With cumulants they do: an aorta with 15 voxels across was stable at 0.50007 and
/// a Reynolds number of 16,000.
inline double lowest_tau(const LatticeCase& lattice) {
  return lattice.collision == lattice::Collision::cumulant ? 0.5001 : 0.51;
}
inline constexpr double mach_warning = 0.15, mach_refusal = 0.3;  ///< of the peak speed
inline constexpr double highest_deviation = 0.05;                 ///< of the lattice density from 1

/// Peak cell Reynolds numbers (peak speed x voxel / viscosity) with cumulants on D3Q19: above the first most flows
/// become unstable, above the second all that were tried.
inline constexpr double d3q19_warning = 130, d3q19_refusal = 200;
/// The same with other collisions, above which most flows become unstable.
inline constexpr double other_collisions = 30, other_with_windkessels = 12;

/// The highest allowed peak cell Reynolds number. Tubes of 10 and 16 voxels with TRT become unstable at 17 if a
/// velocity drives the flow, and at 2 if pressures do, since pressure openings damp less. Cumulants are stable on D3Q19
/// up to 130, on D3Q27 and with a turbulence model at 480.
inline double highest_cell_reynolds(const LatticeCase& lattice, bool by_pressure) {
  if (lattice.collision == lattice::Collision::cumulant) {
    const bool holds = lattice.velocities == lattice::VelocitySet::d3q27 || lattice.smagorinsky > 0;
    return by_pressure ? 20 : holds ? 500 : d3q19_warning;
  }
  return by_pressure ? 1.5 : 12;
}

}  // namespace weft::flow::validity
