// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// Duration of the start ramp of the openings' values, s: as the case gives it, otherwise a tenth of a beat, but at
/// least ten times the time that sound takes across the vessel.
double start_ramp(const Case& c, const Scaling& scaling);

}  // namespace weft::flow
