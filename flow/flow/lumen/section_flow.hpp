// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <vector>

#include "flow/lumen/section_grid.hpp"

namespace weft::flow {

/// Steady flow in a long straight vessel with this cross-section, velocity / mean: -laplace u = 1, u = 0 at the wall.
/// For a circle the parabola. Returns the values at the grid's points.
///
/// Second-order finite differences with the wall at its exact position (Gibou et al., J. Comput. Phys. 176 (2002) 205);
/// conjugate gradients, preconditioned by an incomplete factorisation. A grid of 100 x 100 takes some 20 ms.
std::vector<double> steady_flow(const SectionGrid& grid);

/// The same for an oscillating flow, as a complex amplitude: i rate u - laplace u = 1, where rate is the angular
/// frequency / kinematic viscosity (1/m^2). For a circle Womersley's profile.
struct OscillatingFlow {
  std::vector<double> real, imaginary;
};
OscillatingFlow oscillating_flow(const SectionGrid& grid, double rate);

}  // namespace weft::flow
