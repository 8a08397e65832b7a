// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "advise/recorder.hpp"
#include "advise/rows.hpp"
#include "advise/steps.hpp"
#include "advise/ticks.hpp"
#include "advise/verdict.hpp"
#include "advise/waiting.hpp"

namespace weft::advise {

// All of this is collective over `comm`, and throws Late.

/// Returns when all ranks are here. Whoever waits in vain says so to rank 0, so that nobody waits for it in turn.
void meet(MPI_Comm comm, Waiting& waiting);

/// What the other sides say of the messages in `steps` (by event number from the first).
std::vector<OtherSide> ask_others(MPI_Comm comm, const Recorder& recorder, const Steps& steps, const TickScale& scale,
                                  Waiting& waiting);

/// The rows of all ranks, on rank 0; on others what passed through them. Up a tree, so that no rank holds those of all.
Rows gathered(MPI_Comm comm, Rows mine, Waiting& waiting);

/// Gives rank 0 all ranks' texts, one after the other; `consume` must not throw.
void for_each_text(MPI_Comm comm, std::string mine, const std::function<void(std::string)>& consume, Waiting& waiting);

/// Reduced over all ranks.
std::vector<double> reduced(MPI_Comm comm, const std::vector<double>& mine, MPI_Op op, Waiting& waiting);

}  // namespace weft::advise
