// SPDX-License-Identifier: BSD-3-Clause
//
// What a flow has to keep to for its result to be valid: check tells of it, scaling and steering stay within.
#pragma once

#include "flow/case/case.hpp"

namespace weft::flow::validity {

inline constexpr double highest_tau = 1.2;
/// Below it disturbances hardly fade. Cumulants fade them by themselves: an aorta of 15 voxels held at 0.50007 and a
/// Reynolds number of 16,000.
inline double lowest_tau(const LatticeCase& lattice) {
  return lattice.collision == lattice::Collision::cumulant ? 0.5001 : 0.51;
}
inline constexpr double mach_warning = 0.15, mach_refusal = 0.3;  ///< of the peak speed
inline constexpr double highest_deviation = 0.05;                 ///< of the lattice density from 1

/// Peak speed times voxel over viscosity. Tubes of 10 and 16 voxels with TRT break at 17 where a velocity drives the
/// flow, and at 2 where pressures do, whose openings damp less. Cumulants were seen to hold at 300 and more.
inline double highest_cell_reynolds(const LatticeCase& lattice, bool by_pressure) {
  if (lattice.collision == lattice::Collision::cumulant) return by_pressure ? 20 : 200;
  return by_pressure ? 1.5 : 12;
}

}  // namespace weft::flow::validity
