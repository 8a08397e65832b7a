// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "history/series.hpp"

namespace weft::history {

/// The page of a history: trends, changes with a step before and after, the newest runs. It needs no network and no
/// script. Reads the pictures of some runs again. At least one run. `left_out`: why files are not shown.
std::string page_of(const std::vector<PastRun>& runs, const std::string& branch,
                    const std::vector<std::string>& left_out = {});

/// A mark in the pages of this program: other files must not be replaced.
constexpr auto page_mark = "<meta name=\"generator\" content=\"weft history\">";

}  // namespace weft::history
