// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "weft/step/step_manager.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The data of a run from which `weft predict` predicts runs on other numbers of ranks (docs/predict.md). Times in
/// seconds and traffic are per step. Each number of a Traffic is the maximum over the ranks.
///
/// The *deviation* of a rank in a step is its computation time minus the mean of all ranks in this step, minus the mean
/// of this difference over the steps (the last ones, at most 256).
struct RunProfile {
  /// One client of the run.
  struct Client {
    std::string name;   ///< name of the client
    bool tree = false;  ///< see StepProfile::Client
    double before = 0;  ///< computation in `before`, mean over the ranks
    double during = 0;  ///< computation in `during`, likewise
    double after = 0;   ///< computation in `after` and `finish`, likewise
    Traffic alone;      ///< traffic in an exchange of its own
  };
  double problem = 0;            ///< size of the problem (sites, cells), set by the caller; 0: not known
  double steps = 0;              ///< number of steps
  int ranks = 1;                 ///< number of ranks
  double step_seconds = 0;       ///< duration of a step, of the slowest rank
  bool coalesce = true;          ///< StepOptions::coalesce: whether all clients shared one exchange
  std::string progress;          ///< name of the progress mode
  double compute_seconds = 0;    ///< computation, mean over the ranks
  double imbalance_seconds = 0;  ///< computation of the rank with the most, less compute_seconds
  double jitter_seconds = 0;     ///< root mean square of the deviations of all ranks and steps
  double late_seconds = 0;       ///< the largest deviation of any rank, mean over the steps
  double worst_seconds = 0;      ///< the largest deviation of any rank in any step
  double polls = 0;              ///< calls of Step::progress, of the rank with the fewest
  std::vector<Client> clients;   ///< clients that took part
  Traffic together;              ///< traffic with one exchange for all clients
  double pack_seconds = 0;       ///< packing and unpacking, mean over the ranks; set by the caller

  /// The profile as a JSON object (its keys: docs/formats.md).
  std::string json() const;
};

/// Gathers the profiles of all ranks. The same on every rank. Collective.
RunProfile run_profile(Transport& transport, const StepManager& manager);

/// Sets the members of `profile` from compute_seconds to worst_seconds. `computed`: the computation times of this rank
/// in the last steps, the same steps on all ranks. Collective.
void set_spread(Transport& transport, const std::vector<double>& computed, RunProfile& profile);

}  // namespace weft
