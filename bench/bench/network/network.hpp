// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

using NetworkOptions = TimedOptions;

/// The cost of messages in a weft program, for `weft predict` (docs/predict.md): of exchanges of one message and of
/// several, small and large, between neighbouring ranks and between the two halves of all ranks, all at once. Also the
/// cost of an all-reduce of the MPI library, and the overlap fraction of a message by progress mode. Collective; 2
/// ranks or more. Based on the parameters of LogGP (Alexandrov et al., SPAA 1995), measured as weft uses the network.
void network(mpi::Communicator& world, const NetworkOptions& options);

}  // namespace weft::bench
