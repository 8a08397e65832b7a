// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "weft/step/step_manager.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// What a run on some ranks knows that tells what it would be on others: what `weft predict` reads (docs/predict.md).
/// Seconds and traffic are of a step. "The most": of the rank that has most of it.
struct RunProfile {
  /// One client of the run.
  struct Client {
    std::string name;   ///< as it was added
    bool tree = false;  ///< reductions and the like, not a surface
    double before = 0;  ///< s it computes in that phase, mean over the ranks
    double during = 0;  ///< likewise
    double after = 0;   ///< likewise, with `finish`
    Traffic alone;      ///< the most, in an exchange of its own
  };
  double problem = 0;            ///< its size (sites, cells), for who sets it; 0: not told
  double steps = 0;              ///< that were run
  int ranks = 1;                 ///< of the run
  double step_seconds = 0;       ///< of the slowest rank
  bool coalesce = true;          ///< how it was run
  std::string progress;          ///< and who drove its messages
  double compute_seconds = 0;    ///< mean over ranks and steps
  double imbalance_seconds = 0;  ///< what the rank that computes most computes more than that, on average of the steps
  double jitter_seconds = 0;     ///< standard deviation of a rank's step about its own and that step's mean
  double late_seconds = 0;       ///< the largest such deviation of the ranks, on average of the steps
  double worst_seconds = 0;      ///< and in the worst step
  double polls = 0;              ///< calls of Step::progress, of the rank with the fewest
  std::vector<Client> clients;   ///< that took part
  Traffic together;              ///< the most, with one exchange for all
  double pack_seconds = 0;       ///< packing and unpacking, mean over the ranks

  /// As a JSON object; its keys are in docs/predict.md.
  std::string json() const;
};

/// Gathers the profiles of all ranks; the same on every rank. Collective.
/// `pack_seconds` and `problem` are left to the caller.
RunProfile run_profile(Transport& transport, const StepManager& manager);

/// What the times that ranks computed in the same steps have in common and what not; `computed`: this rank's, by step.
/// Sets the times of `profile` that tell how unlike ranks are. Collective.
void set_spread(Transport& transport, const std::vector<double>& computed, RunProfile& profile);

}  // namespace weft
