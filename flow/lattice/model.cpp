// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/model.hpp"

namespace weft::lattice {

std::string_view name_of(VelocitySet set) { return velocity_set_names.of(set); }
std::string_view name_of(Precision precision) { return precision_names.of(precision); }
std::string_view name_of(Collision collision) { return collision_names.of(collision); }
std::string_view name_of(Wall wall) { return wall_names.of(wall); }
std::string_view name_of(Advection advection) { return advection_names.of(advection); }
std::string_view name_of(InstructionSet set) { return instruction_set_names.of(set); }

}  // namespace weft::lattice
