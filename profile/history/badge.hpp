// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "run/past_run.hpp"

namespace weft::history {

/// A picture for a README: the overlap fraction of a run's whole program.
std::string badge_of(const run::PastRun& run);

/// A mark in the badges of this program: other files must not be replaced.
constexpr auto badge_mark = "<!-- weft history -->";

}  // namespace weft::history
