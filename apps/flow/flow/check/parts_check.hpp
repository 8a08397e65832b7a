// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "flow/check/finding.hpp"

namespace weft::flow {

/// Whether each connected part of the vessel has an opening with a pressure, and, where it has none, whether what is
/// prescribed there balances. While the parts are not known (Case::parts) all openings are of one. Pure.
std::vector<Finding> find_part_problems(const Case& c);

}  // namespace weft::flow
