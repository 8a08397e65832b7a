// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/halo/halo.hpp"

namespace weft::bench {

/// Chapter 6: what a step costs that computes while its messages travel. The computation is arithmetic on a buffer that
/// stays in cache, made to take `shares` of the time that the exchange takes alone, and calls progress() once a plane.
/// Overlap fractions are weft::overlap_fraction of the exchange alone, the computation alone and both, timed
/// interleaved; the exchange alone is passive.
void halo_overlap(mpi::Communicator& world, const HaloBenchOptions& options, double seconds, Report& report);

}  // namespace weft::bench
