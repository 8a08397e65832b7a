// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "flow/case/case.hpp"

namespace weft::flow::validity {

// Bounds for a valid result: the check reports violations, scaling and steering stay within.

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

namespace weft::flow {

// Which openings change their boundary condition with the flow through them, because the cell Reynolds number is high.

/// The cell Reynolds number of a mean speed: peak of its parabola x voxel / viscosity.
inline double cell_reynolds(const Case& c, double mean_speed) {
  return 2 * mean_speed * c.surface.voxel / c.fluid.kinematic_viscosity();
}

/// Above it a prescribed velocity out of the vessel is held by a pressure condition (HeldFlow). Tubes become unstable
/// at 6.5.
inline constexpr double held_cell_reynolds = 3;
/// Above it the inflow at a prescribed pressure gets the profile of steady flow (FedFlow). Without, the flow in a tube
/// was 2.3 times too large at 7.
inline constexpr double fed_cell_reynolds = 1.5;

/// Whether the opening's prescribed outflow may be held by a pressure: a share, or a fast flow.
inline bool may_be_held(const Case& c, const OpeningCase& opening) {
  if (opening.kind != lattice::OpeningState::Kind::velocity) return false;
  return opening.is(OpeningCase::Rule::share) || cell_reynolds(c, -opening.value.lowest()) > held_cell_reynolds;
}

/// Whether a pressure may drive fluid in at the opening: at an inlet, or if its prescribed pressure exceeds that of
/// another opening.
inline bool may_be_fed(const Case& c, const OpeningCase& opening) {
  if (opening.kind != lattice::OpeningState::Kind::pressure) return false;
  if (opening.disc.kind == geometry::Opening::Kind::inlet) return true;
  const auto is_lower = [&](const OpeningCase& other) {
    return other.kind == lattice::OpeningState::Kind::pressure && other.is(OpeningCase::Rule::prescribed) &&
           other.value.lowest() < opening.value.highest() && &other != &opening;
  };
  return opening.is(OpeningCase::Rule::prescribed) && std::ranges::any_of(c.openings, is_lower);
}

}  // namespace weft::flow
