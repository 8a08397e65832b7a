// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "flow/check/finding.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// What looks like a slip of the pen rather than like a flow of blood: a unit that makes the vessel as long as a house,
/// a speed beyond any in a body, a pressure of thousands of atmospheres, a pulse that jumps where it begins again, a
/// time step without an end. Pure.
std::vector<Finding> find_unlikely(const Case& c, const Scaling& scaling, const Known& known);

/// More sites than the machines' memory holds. Pure.
std::vector<Finding> find_too_large(const Case& c, const Scaling& scaling, const Known& known);

}  // namespace weft::flow
