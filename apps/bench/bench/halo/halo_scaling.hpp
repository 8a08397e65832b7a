// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "bench/shared/report.hpp"
#include "weft/halo/cartesian_grid.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct HaloScalingOptions : Options {
  std::vector<Index> extents{{96, 96, 96}};  ///< points of the whole grid, however many ranks
  std::size_t components = 19;               ///< numbers of 8 bytes a point
  std::size_t packed_limit = 0;              ///< bytes; 0: the transport's
  std::size_t turns = 5;                     ///< of all ways
  double seconds = 0;                        ///< to measure for besides; on a simulated machine repeats are alike
};

/// Chapter 5 of the thesis on Ludwig's halo exchange (strong scaling): one grid on the ranks at hand, whole halos of
/// one layer, 6 messages in 3 dependent rounds against 26 at once, by MPI alone and by weft. The array is the same
/// memory for all ranks of one process, so that thousands of simulated ones fit. Collective.
void halo_scaling(mpi::Communicator& world, const HaloScalingOptions& options);

}  // namespace weft::bench
