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
  std::uint64_t seed = 0;            ///< of the first vessel; 0: 1; quick 19, a small vessel with three outlets
  std::vector<std::string> modes;    ///< names of trial_modes(); empty: all
  bool every_mode = false;           ///< each vessel in every mode, not in one of them in turn; also with quick
  std::vector<std::string> changes;  ///< key=value, set in every case, as weft flow --set
  double updates = 0;                ///< largest number of site updates of a trial; 0: 2e9; quick 1e8
  std::filesystem::path out;         ///< folder for vessels, cases and trials.csv; empty: nothing is kept
};

/// Runs the cases that `weft openings` proposes for synthetic vessels, as `weft flow` does: how many are stable,
/// refused or wrongly refused, and how well they conserve mass and follow the prescribed values. Collective.
void robustness(mpi::Communicator& world, const RobustnessOptions& options);

}  // namespace weft::bench
