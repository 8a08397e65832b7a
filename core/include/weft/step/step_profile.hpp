// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "weft/exchange/plan.hpp"

namespace weft {

/// The communication of an exchange on one rank, in one step or on average of many.
struct Traffic {
  double points = 0;       ///< waits
  double rounds = 0;       ///< dependent messages, one after the other (those of continuations are within one wait)
  double peers = 0;        ///< other ranks that are sent something
  double messages = 0;     ///< sent to other ranks, each piece counted
  double bytes = 0;        ///< sent to other ranks
  double collectives = 0;  ///< collectives of the MPI library

  Traffic& operator+=(const Traffic& other);  ///< each number
  Traffic operator*(double factor) const;     ///< each number
};

/// The traffic of a plan on this rank. Not collective.
Traffic traffic_of(const Plan& plan, const std::deque<Requests>& clients, int rank);

/// Sums over the steps of this rank since the counts of its StepManager were last reset, from which runs on other
/// numbers of ranks are predicted (docs/predict.md). Needs the manager's timeline; without one all is empty.
struct StepProfile {
  /// The computation of one client, and its communication in an exchange of its own.
  struct Client {
    std::string name;   ///< as it was added
    bool tree = false;  ///< it communicates reductions and similar (it has continuations or collectives), not a surface
    double before = 0;  ///< s of computation in that phase
    double during = 0;  ///< likewise
    double after = 0;   ///< likewise, with `finish`
    Traffic alone{};    ///< in an exchange of its own, whether or not the run coalesced
  };
  std::int64_t steps = 0;        ///< number of steps
  double seconds = 0;            ///< in run_step
  std::vector<Client> clients;   ///< all clients that ever took part
  Traffic together;              ///< with one exchange for all clients of a step, whether or not the run coalesced
  double polls = 0;              ///< calls of Step::progress
  std::vector<double> computed;  ///< seconds of computation of this rank in each of the last steps, at most 256
};

}  // namespace weft
