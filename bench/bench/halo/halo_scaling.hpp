// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "bench/shared/report.hpp"
#include "weft/halo/cartesian_grid.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct HaloScalingOptions : Options {
  std::vector<std::size_t> extents{96};  ///< points along each axis of the whole grid
  std::size_t components = 19;           ///< numbers of 8 bytes per point
  std::size_t packed_limit = 0;          ///< bytes; 0: the transport's eager limit
  std::size_t repeats = 5;               ///< repetitions of all methods
  double seconds = 0;  ///< additional measuring time; on a simulated machine all repetitions are the same
};

/// Chapter 5 of the thesis on Ludwig's halo exchange (strong scaling): one grid on the given ranks, whole halos of one
/// layer, 6 messages in 3 dependent rounds against 26 at once, by plain MPI and by weft. All ranks of one process share
/// the memory of the array, so that thousands of simulated ranks fit. Collective.
void halo_scaling(mpi::Communicator& world, const HaloScalingOptions& options);

}  // namespace weft::bench
