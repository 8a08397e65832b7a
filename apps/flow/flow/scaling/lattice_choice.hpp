// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "flow/case/case.hpp"

namespace weft::flow {

/// Peak speed times voxel over viscosity, where the flow is expected to be fastest (estimate_flow).
double peak_cell_reynolds(const Case& c);

/// Where the case leaves the set of velocities to the program: D3Q19, but D3Q27 above a cell Reynolds number of 20.
/// D3Q19 lacks moments of the third and fourth order: in a tube that is slanted against the lattice the flow turns, and
/// at 55 the pressure drop is 4 % too large and each site's wall shear stress 10 % off (14 voxels across, Re 386;
/// D3Q27: 0.7 and 3.5 %). From some 130 on D3Q19 is unstable where a fast flow meets a wall, as a chequerboard that
/// grows slowly whatever the time step is. D3Q27 was seen to hold at 480 (docs/validation.md). It takes somewhat
/// more than twice the time, and adds no viscosity as a model of turbulence would. Needs the lumens (use_lumens).
void choose_velocities(Case& c);

/// "D3Q19, cumulant", and where the program chose another set of velocities, why. For people.
std::string lattice_words(const Case& c);

}  // namespace weft::flow
