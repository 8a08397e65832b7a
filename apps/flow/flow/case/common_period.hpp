// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "flow/case/case.hpp"

namespace weft::flow {

/// The time after which all that openings and the heart do repeats, s: the longest of all periods, of which the others
/// have to be whole parts. Nothing if one doesn't fit or there are none.
std::optional<double> common_period(const Case& c);

}  // namespace weft::flow
