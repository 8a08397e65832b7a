// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/shared/report.hpp"
#include "wave/case.hpp"
#include "weft/exchange/options.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench {

struct WaveBenchOptions : TimedOptions {
  int cells = 64;  ///< of level 0 along each axis
  int levels = 1;  ///< above level 0, each over the middle half of the one below
  int block = 16;  ///< cells of a block along each axis
  int laplacian = 4;
  ProgressOptions::Kind progress = ProgressOptions::Kind::polling;
  Grouping grouping = Grouping::per_peer;
};

/// The speed of `weft wave` in a periodic box with fixed refined levels: the equations and scheme of AMReX's Wave
/// example (fourth-order Laplacian, RK4, two ghost layers, subcycling), in two sweeps of a step instead of four. A cell
/// update is a whole step of a cell; all levels count. Collective.
void wave(Transport& transport, const WaveBenchOptions& options);

/// A periodic unit cube of cells^3 in blocks of block^3, with a pulse in its middle and `levels` refined levels, each
/// over the middle half of the level below: the mesh of AMReX's Wave example. Throws an InputError if the blocks don't
/// fit.
wave::Case refined_box(int cells, int block, int levels, int laplacian);

}  // namespace weft::bench
