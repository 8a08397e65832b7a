// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/shared/report.hpp"
#include "weft/exchange/options.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench {

struct WaveBenchOptions : Options {
  int cells = 64;  ///< of level 0 along each axis
  int levels = 1;  ///< above level 0, each over the middle half of the one below
  int block = 16;  ///< cells of a block along each axis
  int laplacian = 4;
  ProgressOptions::Kind progress = ProgressOptions::Kind::polling;
  Grouping grouping = Grouping::per_peer;
  double seconds = 0;  ///< measuring time; 0: 20 if quick, else 60
};

/// The speed of `weft wave` in a periodic box with fixed refined levels: the same work as AMReX's Wave example
/// (fourth-order Laplacian, RK4, two ghost layers, subcycling). A cell update is a whole step of a cell, with all four
/// stages; all levels count. Collective.
void wave(Transport& transport, const WaveBenchOptions& options);

}  // namespace weft::bench
