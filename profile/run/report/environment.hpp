// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/report/reading.hpp"

namespace weft::run {

/// A fact about the machine or the recording, and its cost or consequence.
struct Fact {
  std::string what;   ///< "Cores"
  std::string is;     ///< "8 ranks on 2 cores"
  std::string costs;  ///< empty: no consequence
};

/// Facts with consequences come first.
std::vector<Fact> environment_of(const Reading& reading);

/// Where the ranks of a running program are, or were when it ended: "rank 1: in MPI_Recv at solve (a.c:8) for 6.2 s".
/// Ranks at one place share a line; those that have been there for longest come first.
std::vector<std::string> lines_of_ranks(const std::vector<Reading::RankNow>& ranks);

/// Whether all ranks have been in their calls for a second or more, so that none can be what the others wait for.
bool all_wait(const Reading& reading);

}  // namespace weft::run
