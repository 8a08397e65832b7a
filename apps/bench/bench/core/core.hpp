// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct CoreOptions : Options {
  std::size_t turns = 5;  ///< commits of each kind
};

/// What it costs to make an exchange and to commit it, over the number of ranks: a whole halo of a block of a periodic
/// 3-D grid (26 neighbours) and a reduction. The same for each of ten sets of a StepManager's clients, whose exchanges
/// share one duplicate of the communicator. Beside it the handshake alone, which is sparse, and what it would take if
/// every rank told every other one how much it sends. On a simulated machine the blocking collectives of set-up take
/// time here. Collective.
void core(mpi::Communicator& world, const CoreOptions& options);

}  // namespace weft::bench
