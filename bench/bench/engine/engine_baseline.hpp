// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "amr/traffic.hpp"

namespace weft::bench {

/// Time that baselines spent in their exchanges, in seconds.
struct BaselineClock {
  double seconds = 0;
};

/// Exchanges ghosts as a program without weft, like AMReX's FillBoundary: after the computation all data are packed
/// into one message per peer, receives and sends are posted, MPI_Waitall, all is unpacked. The first test() or wait()
/// does all of this and blocks. Keeps the communicator, but does not own it; the clock runs during the exchanges.
amr::TrafficMaker baseline_of(MPI_Comm comm, std::shared_ptr<BaselineClock> clock);

}  // namespace weft::bench
