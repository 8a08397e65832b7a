// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct RobustnessOptions : Options {
  int vessels = 0;            ///< 0: 100; 5 if quick
  std::uint64_t seed = 1;     ///< of the first; the others follow
  double beats = 0;           ///< that each is run for; 0: 2; quick 0.45: systole and the deceleration after it
  double coarsen = 0;         ///< the voxels' factor; 0: 1; quick 2
  double updates = 0;         ///< of sites that one vessel may take, else its voxel grows; 0: 2e10; quick 1.2e8
  std::filesystem::path out;  ///< keeps what each is made of and writes, in a folder of its own; empty: nothing is kept
};

/// Runs vessels that weft makes from seeds, each as `weft flow` would: what `--check` refuses is run with what it
/// suggests, or counts as refused. Tells how many stay stable, and how well they keep mass and the flow that they are
/// told. Collective.
void robustness(mpi::Communicator& world, const RobustnessOptions& options);

}  // namespace weft::bench
