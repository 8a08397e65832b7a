// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/halo/halo.hpp"

namespace weft::bench {

/// Chapter 6: the duration of a step that computes while its messages are in flight. The computation is arithmetic on a
/// buffer that stays in cache; it takes r times as long as the exchange alone, and calls progress() once per plane.
/// Overlap fractions are weft::overlap_fraction of the exchange alone, the computation alone and both, timed
/// interleaved; the exchange alone is passive.
void halo_overlap(mpi::Communicator& world, const HaloBenchOptions& options, double seconds, Report& report);

}  // namespace weft::bench
