// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "run/past_run.hpp"

namespace weft::history {

/// A picture for a README: the overlap fraction of a run's whole program.
std::string badge_of(const run::PastRun& run);

/// The badge's run: the newest one of the branch, or of all.
const run::PastRun& newest(const std::vector<run::PastRun>& runs, const std::string& branch);

}  // namespace weft::history
