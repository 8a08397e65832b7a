// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"
#include "geometry/lumen.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// What a case says of its openings holds for their lumens, not for the discs that tell where they are: mean velocities
/// follow from the flows that were given. A lumen that does not exist leaves its opening as it is.
void use_lumens(Case& c, std::span<const geometry::Lumen> lumens);

/// Gives the lattice's links the profiles that openings with a velocity have: that of steady flow through the lumen,
/// and with profile = "womersley" one for each harmonic. They are normalised so that what enters through all links of
/// all ranks is the speed times the lumen's area (OpeningCase::area), to rounding, whatever the lattice makes of the
/// lumen. Without lumens the discs are taken.
///
/// Collective. A rank without links at an opening solves nothing; the result does not depend on who has which links.
void prescribe_profiles(Transport& transport, lattice::SparseLattice& lattice, const Case& c, const Scaling& scaling,
                        std::span<const geometry::Lumen> lumens);

}  // namespace weft::flow
