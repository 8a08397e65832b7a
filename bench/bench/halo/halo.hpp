// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/halo/halo_methods.hpp"
#include "bench/shared/report.hpp"
#include "bench/shared/size_text.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench {

struct HaloBenchOptions : TimedOptions {
  std::vector<Index> sizes;  ///< blocks per rank; empty: those of the thesis, fewer if quick
  std::vector<Layout> layouts{Layout::aos, Layout::soa};
  std::vector<HaloOptions::Scheme> schemes{HaloOptions::Scheme::by_dimension, HaloOptions::Scheme::direct};
  std::vector<ProgressOptions::Kind> progress{ProgressOptions::Kind::passive, ProgressOptions::Kind::polling,
                                              ProgressOptions::Kind::thread};
  bool exchange = true, overlap = true;  ///< which of the two measurements to make
  Index overlap_size{64, 64, 64};
  bool single = false;  ///< fp32
};

/// Chapters 4, 5 and 6 of the thesis on Ludwig's halo exchange: the halo of a D3Q19 field on a periodic grid, by all
/// methods of weft and by plain MPI, compared with memcpy of as many bytes; the cost of a fixed lattice on the given
/// ranks; and its overlap with a computation. All methods are interleaved in one run. Collective.
void halo(mpi::Communicator& world, const HaloBenchOptions& options);

}  // namespace weft::bench
