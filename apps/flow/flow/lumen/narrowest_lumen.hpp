// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"
#include "geometry/surface.hpp"

namespace weft::flow {

/// Where, between the openings, what inlets prescribe passes the narrowest lumen: a stenosis, a nozzle's throat. It is
/// looked for along the vessel's centrelines; what flows there is what leaves beyond it, by shares, by the windkessels'
/// resistances or, with pressures, by the outlets' areas. None if no flow is prescribed, or if the fluid is nowhere
/// faster than in the openings by more than a quarter (what a lumen is known by). `closed`: in metres, with openings as
/// `c` has them. Pure; some tenths of a second.
std::optional<NarrowLumen> narrowest_lumen(const geometry::Surface& closed, const Case& c);

}  // namespace weft::flow
