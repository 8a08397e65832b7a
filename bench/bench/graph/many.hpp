// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

/// Exchanges of many small parts: with and without a limit of active requests, where it is not needed (1,000 parts a
/// rank) and where it is (20,000); and node_over_peer(). Collective.
void many_parts(mpi::Communicator& world, Report& report, double seconds);

}  // namespace weft::bench
