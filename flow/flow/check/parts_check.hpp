// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "flow/check/finding.hpp"

namespace weft::flow {

/// Finds connected parts of the vessel that have no opening with a pressure, and checks whether their prescribed flows
/// balance. While the parts are unknown (Case::parts) all openings count as one part. Pure.
std::vector<Finding> find_part_problems(const Case& c);

}  // namespace weft::flow
