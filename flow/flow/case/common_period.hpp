// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "flow/case/case.hpp"

namespace weft::flow {

/// The common period of all openings and elastances, s: the longest period, if it is a whole multiple of each other
/// one. Nothing otherwise, or if there is no period.
std::optional<double> common_period(const Case& c);

}  // namespace weft::flow
