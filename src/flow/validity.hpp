// SPDX-License-Identifier: BSD-3-Clause
//
// What a flow has to keep to for its result to be valid: check tells of it, scaling and steering stay within.
#pragma once

namespace weft::flow::validity {

inline constexpr double lowest_tau = 0.51, highest_tau = 1.2;
inline constexpr double mach_warning = 0.15, mach_refusal = 0.3;  ///< of the peak speed
inline constexpr double highest_deviation = 0.05;                 ///< of the lattice density from 1

/// Peak speed times voxel over viscosity. Tubes of 10 and 16 voxels with TRT break at 17 where a velocity drives the
/// flow, and at 2 where pressures do, whose openings damp less.
inline constexpr double highest_cell_reynolds = 12, highest_cell_reynolds_by_pressure = 1.5;

}  // namespace weft::flow::validity
