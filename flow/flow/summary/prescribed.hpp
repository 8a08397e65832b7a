// SPDX-License-Identifier: BSD-3-Clause
//
// What the case prescribes, for comparison with what the run computed.
#pragma once

#include <vector>

#include "flow/summary/sections.hpp"

namespace weft::flow::summary {

/// Of each outlet the fraction of the outflow that the case prescribes: its share, its own flow, or what its windkessel
/// takes by the resistances alone. Not a number if nothing prescribes it.
std::vector<double> prescribed_shares(const Case& c);

/// Of each opening the prescribed flow (into the vessel) and pressure, at the times of the page's curves; empty curves
/// where the opening prescribes none.
std::vector<Curve> prescribed_flows(const Page& page);
std::vector<Curve> prescribed_pressures(const Page& page);

}  // namespace weft::flow::summary
