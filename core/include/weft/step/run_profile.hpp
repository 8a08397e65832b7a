// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "weft/step/step_manager.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// The data of a run from which `weft predict` predicts runs on other numbers of ranks (docs/predict.md). Seconds and
/// traffic are per step. "The most": of the rank that has most of it.
struct RunProfile {
  /// One client of the run.
  struct Client {
    std::string name;   ///< as it was added
    bool tree = false;  ///< reductions and similar, not a surface
    double before = 0;  ///< s of computation in that phase, mean over the ranks
    double during = 0;  ///< likewise
    double after = 0;   ///< likewise, with `finish`
    Traffic alone;      ///< the most, in an exchange of its own
  };
  double problem = 0;            ///< its size (sites, cells), set by the caller; 0: not known
  double steps = 0;              ///< number of steps
  int ranks = 1;                 ///< of the run
  double step_seconds = 0;       ///< of the slowest rank
  bool coalesce = true;          ///< whether clients were coalesced
  std::string progress;          ///< the progress mode
  double compute_seconds = 0;    ///< mean over ranks and steps
  double imbalance_seconds = 0;  ///< longest mean computation of a rank, less the mean over ranks
  double jitter_seconds = 0;     ///< standard deviation of a rank's step about its own and that step's mean
  double late_seconds = 0;       ///< the largest such deviation of all ranks, on average of the steps
  double worst_seconds = 0;      ///< the same in the worst step
  double polls = 0;              ///< calls of Step::progress, of the rank with the fewest
  std::vector<Client> clients;   ///< that took part
  Traffic together;              ///< the most, with one exchange for all
  double pack_seconds = 0;       ///< packing and unpacking, mean over the ranks

  /// As a JSON object; its keys are in docs/predict.md.
  std::string json() const;
};

/// Gathers the profiles of all ranks; the same on every rank. Collective. The caller sets `pack_seconds` and `problem`.
RunProfile run_profile(Transport& transport, const StepManager& manager);

/// Splits the computation times of all ranks in the same steps into their common part and the rest; `computed`: this
/// rank's, by step. Sets the times of `profile` that measure the differences between ranks. Collective.
void set_spread(Transport& transport, const std::vector<double>& computed, RunProfile& profile);

}  // namespace weft
