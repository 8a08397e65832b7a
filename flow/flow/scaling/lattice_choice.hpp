// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "flow/case/case.hpp"

namespace weft::flow {

/// Peak cell Reynolds number: peak speed x voxel / viscosity, where the flow is expected to be fastest (estimate_flow).
double peak_cell_reynolds(const Case& c);

/// Chooses the velocity set and the sponge if the case does not give them.
///
/// The velocity set: D3Q19, but D3Q27 above a cell Reynolds number of 20. D3Q19
/// lacks moments of third and fourth order: in a tube that is slanted against the lattice the flow rotates, and at a
/// cell Reynolds number of 55 the pressure drop is 4 % too large and the sites' wall shear stress is 10 % off (14
/// voxels across, Re 386; D3Q27: 0.7 and 3.5 %). Above about 130 D3Q19 is unstable where a fast flow meets a wall: a
/// chequerboard pattern grows slowly, for any time step. D3Q27 was stable at 480 (docs/validation.md). It takes
/// somewhat more than twice the time, and adds no viscosity, as a turbulence model would.
///
/// The sponge: above the same number 1.5 voxels before outlets with a pressure. Without it eddies that reach an outlet
/// of a pulsed flow may stay there: a symmetric T sent 78 % of such a flow through one arm.
///
/// Needs the lumens (use_lumens).
void choose_lattice(Case& c);

/// "D3Q19, cumulant", with the reason if the program chose another velocity set. For printing.
std::string lattice_words(const Case& c);

}  // namespace weft::flow
