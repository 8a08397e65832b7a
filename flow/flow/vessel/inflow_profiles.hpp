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

/// Applies the openings' lumens to the case: flows, velocities and areas refer to the lumens, not to the discs that
/// locate them. Mean velocities are computed from given flows. An opening without a lumen is not changed.
void use_lumens(Case& c, std::span<const geometry::Lumen> lumens);

/// Sets the lattice's velocity profiles at openings with a velocity: that of steady flow through the lumen, and with
/// profile = "womersley" one for each harmonic. They are normalised so that the inflow through all links of all ranks
/// is the speed times the lumen's area (OpeningCase::area), to rounding, independent of the lumen's discretisation.
/// Without lumens the discs are used. At openings that may have a pressure it sets the shear of steady flow.
///
/// Collective. A rank without links at an opening solves nothing; the result does not depend on the distribution of
/// links over ranks.
void prescribe_profiles(Transport& transport, lattice::SparseLattice& lattice, const Case& c, const Scaling& scaling,
                        const geometry::Domain& domain, std::span<const geometry::Lumen> lumens);

}  // namespace weft::flow
