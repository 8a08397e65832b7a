// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "advise/settings.hpp"
#include "advise/verdict.hpp"
#include "advise/waiting.hpp"

namespace weft::advise {

/// Writes the last steps as a Chrome trace (JSON), which Perfetto opens: a process a rank, one track of its calls, and
/// above them what was in flight and how much of it was hidden. Collective, and throws Late; written by rank 0, one
/// rank's text in memory at a time.
void write_trace(MPI_Comm comm, const Settings& settings, const Recorder& recorder, const Judge& judge,
                 const Steps& steps, const TickScale& scale, Waiting& waiting);

}  // namespace weft::advise
