// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "weft/exchange/plan.hpp"

namespace weft {

/// What an exchange moves from one rank, in one step or on average of many.
struct Traffic {
  double points = 0;    ///< synchronisation points
  double rounds = 0;    ///< messages that depend on one another, one after the other (a relay's are within one point)
  double peers = 0;     ///< other ranks that something goes to
  double messages = 0;  ///< sent to other ranks, each piece counted
  double bytes = 0;     ///< sent to other ranks
  double collectives = 0;  ///< the MPI library's own

  Traffic& operator+=(const Traffic& other);  ///< each number
  Traffic operator*(double factor) const;     ///< each number
};

/// Of a plan, seen from this rank. Pure.
Traffic traffic_of(const Plan& plan, const std::deque<Requests>& clients, int rank);

/// What this rank did in the steps since the counts of its StepManager were last reset: sums, from which a run can tell
/// what it would be on other ranks (docs/predict.md). Needs the manager's timeline; without one all is empty.
struct StepProfile {
  /// What one client computed, and what it would move alone.
  struct Client {
    std::string name;   ///< as it was added
    bool tree = false;  ///< what it moves are reductions and the like (it relays, or has collectives), not a surface
    double before = 0;  ///< s that it computed in that phase
    double during = 0;  ///< likewise
    double after = 0;   ///< likewise, with `finish`
    Traffic alone{};    ///< in an exchange of its own, however the run did it
  };
  std::int64_t steps = 0;        ///< that were run
  double seconds = 0;            ///< in run_step
  std::vector<Client> clients;   ///< all that ever took part
  Traffic together;              ///< with one exchange for all clients of a step, however the run did it
  double polls = 0;              ///< calls of Step::progress
  std::vector<double> computed;  ///< seconds that this rank computed in each of the last steps, at most 256
};

}  // namespace weft
