// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "advise/recorder.hpp"
#include "advise/steps.hpp"
#include "advise/ticks.hpp"
#include "advise/verdict.hpp"

namespace weft::advise {

/// What the other sides say of the messages in `steps` (by event number from the first). Collective over `comm`.
std::vector<OtherSide> ask_others(MPI_Comm comm, const Recorder& recorder, const Steps& steps, const TickScale& scale);

/// Gives rank 0 all ranks' texts, one after the other. Collective; `consume` must not throw.
void for_each_text(MPI_Comm comm, std::string mine, const std::function<void(std::string)>& consume);

/// Returns when all ranks are here. Does not spin inside MPI.
void meet(MPI_Comm comm);

}  // namespace weft::advise
