// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "flow/check/finding.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// Finds likely mistakes in a case: a unit that gives an impossible vessel length, a speed or pressure that does not
/// occur in a body, a resistance or fluid in CGS units without their names, a pulse that jumps at the end of its
/// period, a run of too many steps. Pure.
std::vector<Finding> find_unlikely(const Case& c, const Scaling& scaling, const Known& known);

/// Finds a voxel whose sites do not fit into the machines' memory. Pure.
std::vector<Finding> find_too_large(const Case& c, const Scaling& scaling, const Known& known);

}  // namespace weft::flow
