// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "flow/check/finding.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// Checks the vessel's pressure range over the pulse, which compresses the lattice's fluid. Pure.
std::vector<Finding> find_pressure_range(const Case& c, const Scaling& scaling, const Known& known);

}  // namespace weft::flow
