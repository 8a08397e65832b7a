// SPDX-License-Identifier: BSD-3-Clause
//
// Which openings change their condition with the flow through them, because it is fast over a voxel.
#pragma once

#include <algorithm>

#include "flow/case/case.hpp"

namespace weft::flow {

/// Of a mean speed: the peak of its parabola times voxel over viscosity.
inline double cell_reynolds(const Case& c, double mean_speed) {
  return 2 * mean_speed * c.surface.voxel / c.fluid.kinematic_viscosity();
}

/// What prescribed velocities let out of the vessel is held by a pressure from here on (HeldFlow). Tubes break at 6.5.
inline constexpr double held_cell_reynolds = 3;
/// What prescribed pressures let in has the profile of steady flow from here on (FedFlow). With its own, a tube's flow
/// was found 2.3 times as large at 7.
inline constexpr double fed_cell_reynolds = 1.5;

/// Whether a pressure holds what the opening prescribes while that leaves the vessel: a share, or a fast flow.
inline bool may_be_held(const Case& c, const OpeningCase& opening) {
  if (opening.kind != lattice::OpeningState::Kind::velocity) return false;
  return opening.is(OpeningCase::Rule::share) || cell_reynolds(c, -opening.value.lowest()) > held_cell_reynolds;
}

/// Whether a pressure may drive fluid in there: at an inlet, or where one is prescribed above that of another opening.
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
