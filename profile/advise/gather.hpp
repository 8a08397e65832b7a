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

// All functions here are collective over `comm`, and throw Late.

/// Returns when all ranks have called it. A rank that times out reports this to rank 0, so that no other rank waits for
/// it.
void meet(MPI_Comm comm, Waiting& waiting);

/// When the other sides posted the messages of `steps` (by event number from the first). `again_from`: OtherSide::again
/// holds from this event number on.
std::vector<OtherSide> ask_others(MPI_Comm comm, const Recorder& recorder, const Steps& steps, const TickScale& scale,
                                  std::uint64_t again_from, Waiting& waiting);

/// The rows of all ranks, on rank 0; on other ranks those of their subtree. They are merged along a tree.
Rows gathered(MPI_Comm comm, Rows mine, Waiting& waiting);

/// Passes all ranks' texts to `consume` on rank 0, one after the other; `consume` must not throw.
void for_each_text(MPI_Comm comm, std::string mine, const std::function<void(std::string)>& consume, Waiting& waiting);

/// An all-reduce of each value.
std::vector<double> reduced(MPI_Comm comm, const std::vector<double>& mine, MPI_Op op, Waiting& waiting);

}  // namespace weft::advise
