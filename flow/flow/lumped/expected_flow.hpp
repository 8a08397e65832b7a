// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"

namespace weft::flow {

/// Estimates the peak speeds at the openings of a circulation (OpeningCase::expected_speed), for the choice of the time
/// step: the third beat of the compartments alone, with the vessel replaced by Poiseuille resistances between the
/// openings.
void expect_flows(Case& c);

/// Poiseuille resistance of a straight tube between two openings, with the radius of the smaller one, Pa s/m^3.
double straight_resistance(const Case& c, const OpeningCase& a, const OpeningCase& b);

}  // namespace weft::flow
