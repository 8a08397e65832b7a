// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"

namespace weft::flow {

/// How fast it will be at the openings that a circulation joins, so that a time step can be chosen: the third beat of
/// the compartments alone, with wide tubes' resistances (Poiseuille) from opening to opening in the vessel's place.
void expect_flows(Case& c);

/// Poiseuille's resistance along the straight line between two openings, as wide as the narrower one, Pa s/m^3.
double straight_resistance(const Case& c, const OpeningCase& a, const OpeningCase& b);

}  // namespace weft::flow
