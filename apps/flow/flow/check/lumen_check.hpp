// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "flow/check/finding.hpp"
#include "geometry/lumen.hpp"

namespace weft::flow {

/// Discs that are much larger or smaller than the lumens that they lie in, or that cut others, too. A lumen for each
/// opening, or none at all.
std::vector<Finding> find_lumen_problems(const Case& c, const std::vector<geometry::Lumen>& lumens);

}  // namespace weft::flow
