// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "flow/check/finding.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// Finds prescribed flows with the wrong sign, and tables of one beat that end before the run. Pure.
std::vector<Finding> find_waveform_problems(const Case& c, const Scaling& scaling);

}  // namespace weft::flow
