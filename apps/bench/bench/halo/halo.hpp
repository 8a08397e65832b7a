// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/halo/halo_methods.hpp"
#include "bench/shared/report.hpp"
#include "bench/shared/size_text.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench {

struct HaloBenchOptions : Options {
  std::vector<Index> sizes;  ///< blocks of a rank; empty: those of the thesis, fewer if quick
  std::vector<Layout> layouts{Layout::aos, Layout::soa};
  std::vector<HaloOptions::Scheme> schemes{HaloOptions::Scheme::by_dimension, HaloOptions::Scheme::direct};
  std::vector<ProgressOptions::Kind> progress{ProgressOptions::Kind::passive, ProgressOptions::Kind::polling,
                                              ProgressOptions::Kind::thread};
  bool exchange = true, overlap = true;  ///< the two halves
  Index overlap_size{64, 64, 64};
  bool single = false;  ///< fp32
  double seconds = 0;   ///< of measuring, about; 0: 26 if quick, else 300
};

/// Chapters 4, 5 and 6 of the thesis on Ludwig's halo exchange: a D3Q19 field's, on a periodic grid, with weft in all
/// ways and with MPI alone, against memcpy of as many bytes; what a fixed lattice costs on the ranks at hand; and how
/// much of it a computation hides. All ways take turns in one run. Collective.
void halo(mpi::Communicator& world, const HaloBenchOptions& options);

}  // namespace weft::bench
