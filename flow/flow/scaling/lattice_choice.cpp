// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/lattice_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "flow/scaling/scaling.hpp"

namespace weft::flow {

double peak_cell_reynolds(const Case& c) {
  return estimate_flow(c).peak_speed * c.surface.voxel / c.fluid.kinematic_viscosity();
}

void choose_lattice(Case& c) {
  constexpr double most_without = 20, sponge = 1.5;  // voxels
  const bool is_fast = peak_cell_reynolds(c) > most_without;
  if (c.lattice.velocities_are_chosen)
    c.lattice.velocities = is_fast ? lattice::VelocitySet::d3q27 : lattice::VelocitySet::d3q19;
  if (!c.lattice.sponge_is_chosen) return;
  const bool has_pressure = std::ranges::any_of(c.openings, [](const OpeningCase& o) {
    return o.disc.kind == geometry::Opening::Kind::outlet && o.kind == lattice::OpeningState::Kind::pressure;
  });
  c.lattice.sponge = is_fast && has_pressure ? sponge * c.surface.voxel : 0;
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
