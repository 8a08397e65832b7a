// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "advise/abi/mpi.hpp"
#include "advise/path.hpp"
#include "advise/waiting.hpp"

namespace weft::advise {

/// Collective over `comm` (a duplicate of MPI_COMM_WORLD); takes some milliseconds, or a tenth of a second if the
/// latency is 1 ms.
NetworkModel measure_network(MPI_Comm comm);

/// Rank 0's clock minus this one's; 0 on rank 0's node, whose ranks have one clock. Collective over `comm`.
double clock_offset(MPI_Comm comm, const std::vector<int>& node, Waiting& waiting);

}  // namespace weft::advise
