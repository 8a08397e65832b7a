// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "box_program/case.hpp"

namespace weft::box_program {

/// Adds `count` copies of a particle at random places, apart from each other, from existing particles and from walls.
/// The same on every rank and machine. False if they don't fit.
bool place_particles(Case& c, const Particle& like, std::size_t count, std::uint64_t seed);

}  // namespace weft::box_program
