// SPDX-License-Identifier: BSD-3-Clause
//
// Which openings change their boundary condition with the flow through them, because the cell Reynolds number is high.
#pragma once

#include <algorithm>

#include "flow/case/case.hpp"

namespace weft::flow {

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
