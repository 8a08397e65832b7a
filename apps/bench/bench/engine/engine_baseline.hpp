// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "amr/traffic.hpp"

namespace weft::bench {

/// Seconds that baselines spent in their exchanges.
struct BaselineClock {
  double seconds = 0;
};

/// Moves ghosts as a program without weft does, the way of AMReX's FillBoundary: when all is computed, everything is
/// packed, one message a peer; receives and sends are posted, MPI_Waitall, everything is unpacked. Nothing happens
/// before the first test() or wait(), which blocks. The communicator is borrowed; the clock runs while a baseline
/// waits.
amr::TrafficMaker baseline_of(MPI_Comm comm, std::shared_ptr<BaselineClock> clock);

}  // namespace weft::bench
