// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "history/series.hpp"

namespace weft::history {

/// "2026-11-30 16:42"
std::string date_of(const PastRun& run);
/// The short commit, with what distinguishes it: "51a7b2b9, with uncommitted changes".
std::string commit_of(const PastRun& run);
/// "61 % (58 % to 63 %)", "unknown"
std::string overlap_text(const Region& region);

/// The trend as HTML: an SVG of at most some hundred runs, and a line about the runs that are not drawn.
std::string chart_of(const Trend& trend);

}  // namespace weft::history
