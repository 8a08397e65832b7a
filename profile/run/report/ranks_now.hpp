// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/report/reading.hpp"

namespace weft::run {

/// Where the ranks of a running program are, or were when it ended: "rank 1: in MPI_Recv at solve (a.c:8) for 6.2 s".
/// Ranks at one place share a line; those that have been there for longest come first.
std::vector<std::string> lines_of_ranks(const std::vector<Reading::RankNow>& ranks);

/// Whether all ranks have been in their calls for a second or more, so that none can be what the others wait for.
bool all_wait(const Reading& reading);

}  // namespace weft::run
