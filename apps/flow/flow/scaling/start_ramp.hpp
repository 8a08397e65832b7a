// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// How long what openings prescribe takes to come up from rest, s: what the case says, or where it leaves that to the
/// program a tenth of a beat, but ten times what sound takes across the vessel at least.
double start_ramp(const Case& c, const Scaling& scaling);

}  // namespace weft::flow
