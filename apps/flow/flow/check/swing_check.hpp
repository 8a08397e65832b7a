// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "flow/check/finding.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// The vessel's pressure over the pulse, as the lattice's fluid yields to it. Pure.
std::vector<Finding> find_swing(const Case& c, const Scaling& scaling, const Known& known);

}  // namespace weft::flow
