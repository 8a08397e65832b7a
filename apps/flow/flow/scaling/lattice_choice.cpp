// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/lattice_choice.hpp"

#include <fmt/format.h>

#include "flow/scaling/scaling.hpp"

namespace weft::flow {

double peak_cell_reynolds(const Case& c) {
  return estimate_flow(c).peak_speed * c.surface.voxel / c.fluid.kinematic_viscosity();
}

void choose_velocities(Case& c) {
  constexpr double most_for_19 = 20;
  if (!c.lattice.velocities_are_chosen) return;
  c.lattice.velocities =
      peak_cell_reynolds(c) > most_for_19 ? lattice::VelocitySet::d3q27 : lattice::VelocitySet::d3q19;
}

std::string lattice_words(const Case& c) {
  const auto text = fmt::format("{}, {}", name_of(c.lattice.velocities), name_of(c.lattice.collision));
  if (!c.lattice.velocities_are_chosen) return text;
  if (c.lattice.velocities == lattice::VelocitySet::d3q19) return text + " (chosen)";
  return text + fmt::format(
                    " (chosen: a cell Reynolds number, peak speed x voxel / viscosity, of {:.3g}; D3Q19 turns "
                    "flows in slanted vessels above 20)",
                    peak_cell_reynolds(c));
}

}  // namespace weft::flow
