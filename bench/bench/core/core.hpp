// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct CoreOptions : Options {
  std::size_t repeats = 5;  ///< commits of each kind
};

/// The cost to create and to commit an exchange, over the number of ranks: a whole halo of a block of a periodic 3-D
/// grid (26 neighbours) and a reduction. The same for each of ten sets of a StepManager's clients, whose exchanges
/// share one duplicate of the communicator. Also the sparse handshake alone, and a dense one in which every rank sends
/// its sizes to every other rank. On a simulated machine the blocking collectives of set-up take time here; on a real
/// one, parts() is measured, too. Collective.
void core(mpi::Communicator& world, const CoreOptions& options);

}  // namespace weft::bench
