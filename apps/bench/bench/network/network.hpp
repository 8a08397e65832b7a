// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct NetworkOptions : Options {
  double seconds = 0;  ///< to measure for, about; 0: 20, quick 5
};

/// What messages cost a weft program, as `weft predict` reads it (docs/predict.md): of exchanges of one message and of
/// several, small and large, between neighbouring ranks and between the two halves of all ranks, all at once. Further:
/// what an all-reduce of the MPI library costs, and which share of a message is hidden by whom. Collective; 2 ranks or
/// more. After the parameters of LogGP (Alexandrov et al., SPAA 1995), measured as weft uses the network.
void network(mpi::Communicator& world, const NetworkOptions& options);

}  // namespace weft::bench
