// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "advise/gather.hpp"
#include "advise/table.hpp"

namespace weft::advise {

/// One step of all ranks, into the report of rank 0: of rank 0's steps the one of median length, and what the others
/// did in that time. Collective over `comm`, and throws Late.
void take_picture(MPI_Comm comm, const Recorder& recorder, const Judge& judge, const Steps& steps,
                  const TickScale& scale, Report& report, Waiting& waiting);

}  // namespace weft::advise
