// SPDX-License-Identifier: BSD-3-Clause
//
// The library robustness: a study of how many unknown vessels run to their end by the default path, from a surface
// alone. Its command is `weft bench robustness`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "weft/mpi/communicator.hpp"

namespace weft::robustness {

struct StudyOptions {
  int vessels = 100;
  std::uint64_t seed = 1;            ///< of the first vessel
  std::vector<std::string> modes;    ///< names of trial_modes(); empty: all
  bool every_mode = false;           ///< each vessel in every mode, not in one of them in turn
  std::vector<std::string> changes;  ///< key=value, set in every case, as weft flow --set
  double updates = 2e9;              ///< largest number of site updates of a trial
  std::filesystem::path out;         ///< folder for vessels, cases and trials.csv; empty: nothing is kept
};

struct StudyResult {
  std::vector<std::string> notes;            ///< a sentence for each mode, and for each trial that did not run
  std::vector<double> mass, flow, pressure;  ///< errors of each trial that ran to its end, see TrialBalance
  std::vector<std::pair<std::string, double>> figures;  ///< "stable_share", 0.98
};

/// Runs the cases that `weft openings` proposes for synthetic vessels, as `weft flow` does: how many are stable,
/// refused or wrongly refused, and how well they conserve mass and follow the prescribed values. Prints a line per
/// trial. Collective.
StudyResult run_study(mpi::Communicator& world, const StudyOptions& options);

}  // namespace weft::robustness
