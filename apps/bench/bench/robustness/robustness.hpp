// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct RobustnessOptions : Options {
  int vessels = 0;                   ///< 0: 100; 1 if quick
  std::uint64_t seed = 0;            ///< of the first, the others follow; 0: 1; quick 19, a small one of three outlets
  std::vector<std::string> modes;    ///< names of trial_modes(); none: all
  bool every_mode = false;           ///< each vessel in each mode, not in one after the other in turn; so is quick
  std::vector<std::string> changes;  ///< key=value of every case, as weft flow --set
  double updates = 0;                ///< of sites that a trial may take; 0: 2e9; quick 1e8
  std::filesystem::path out;         ///< keeps vessels, cases and trials.csv in a folder; empty: nothing is kept
};

/// Tries what `weft openings` proposes for vessels that weft makes from seeds, as `weft flow` would run it: how many
/// are stable, refused, wrongly refused, and how well they keep mass and what is prescribed. Collective.
void robustness(mpi::Communicator& world, const RobustnessOptions& options);

}  // namespace weft::bench
