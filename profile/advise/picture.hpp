// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "advise/gather.hpp"
#include "advise/table.hpp"

namespace weft::advise {

/// Adds a timeline of one step to the report of rank 0: rank 0's step of median length, and the activity of the other
/// ranks in that time. Collective over `comm`, and throws Late.
void take_picture(MPI_Comm comm, const Recorder& recorder, const Judge& judge, const Steps& steps,
                  const TickScale& scale, Report& report, Waiting& waiting);

}  // namespace weft::advise
