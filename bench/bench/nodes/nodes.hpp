// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct NodesOptions : TimedOptions {
  std::vector<std::size_t> bytes{8, 64, 512, 4096};  ///< size of each part
  std::size_t nodes = 0;                             ///< how many other nodes each rank sends to; 0: all
};

/// Each rank sends a part to each rank of the nodes behind its own: grouped per node and per peer, interleaved, and
/// verified. Collective.
void nodes(mpi::Communicator& world, const NodesOptions& options);

/// The same for one size of parts, and so many other nodes (0: all). Returns the ratio of the times, per node / per
/// peer; none, after a note in the report, if all ranks are on one node. Collective.
std::optional<double> node_over_peer(mpi::Communicator& world, Report& report, std::size_t bytes, std::size_t nodes,
                                     double seconds);

}  // namespace weft::bench
