// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "flow/check/finding.hpp"
#include "geometry/lumen.hpp"

namespace weft::flow {

/// Finds discs that are much larger or smaller than their lumens, or that also cut other lumens. `lumens`: one for each
/// opening, or empty.
std::vector<Finding> find_lumen_problems(const Case& c, const std::vector<geometry::Lumen>& lumens);

}  // namespace weft::flow
