// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <vector>

#include "flow/lumen/section_grid.hpp"

namespace weft::flow {

/// Velocity over its mean across a long straight vessel of that section: steady flow, -laplace u = 1, u = 0 at the
/// wall. Of a round one the parabola. Values of the grid's points.
///
/// Finite differences with the wall where it is (Gibou et al., J. Comput. Phys. 176 (2002) 205), second order;
/// conjugate gradients, preconditioned by an incomplete factorisation. A grid of 100 x 100 takes some 20 ms.
std::vector<double> steady_flow(const SectionGrid& grid);

/// The same of a flow that oscillates, as a complex amplitude: i rate u - laplace u = 1, where rate is the angular
/// frequency over the kinematic viscosity (1/m^2). Of a round section Womersley's profile.
struct OscillatingFlow {
  std::vector<double> real, imaginary;
};
OscillatingFlow oscillating_flow(const SectionGrid& grid, double rate);

}  // namespace weft::flow
