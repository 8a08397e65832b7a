// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "geometry/domain.hpp"
#include "geometry/section.hpp"
#include "geometry/surface.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Finds the lumen between the openings where the prescribed inflow is fastest: a stenosis, a nozzle's throat. It is
/// searched along the vessel's centrelines. The flow at a place is the outflow beyond it, from shares, the windkessels'
/// resistances or, with pressures, the outlets' areas. None if no flow is prescribed, or if the flow is nowhere faster
/// than in the openings by more than a quarter. `closed`: in metres, with the openings of `c`. Pure; takes some tenths
/// of a second.
std::optional<NarrowLumen> narrowest_lumen(const geometry::Surface& closed, const Case& c);

/// The lumens of a vessel given by sites: the cross-section of the sites' voxels with a plane just inside each opening.
/// Their outlines follow the edges of the voxels. Collective; the same on every rank.
std::vector<geometry::Lumen> lumens_of_sites(Transport& transport, const geometry::Domain& domain);

}  // namespace weft::flow
