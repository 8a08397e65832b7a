// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "advise/gather.hpp"
#include "advise/settings.hpp"
#include "advise/table.hpp"
#include "advise/verdict.hpp"
#include "advise/waiting.hpp"

namespace weft::advise {

/// Writes the last steps as a Chrome trace (JSON) for Perfetto: one process per rank, with a track of its calls and,
/// above it, the messages in flight and how much of them was overlapped. Collective, and throws Late. Rank 0 writes it,
/// with the text of one rank in memory at a time.
void write_trace(MPI_Comm comm, const Settings& settings, const Recorder& recorder, const Judge& judge,
                 const Steps& steps, const TickScale& scale, Waiting& waiting);

/// Adds a timeline of one step to the report of rank 0: rank 0's step of median length, and the activity of the other
/// ranks in that time. Collective over `comm`, and throws Late.
void take_picture(MPI_Comm comm, const Recorder& recorder, const Judge& judge, const Steps& steps,
                  const TickScale& scale, Report& report, Waiting& waiting);

}  // namespace weft::advise
