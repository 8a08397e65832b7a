// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "weft/exchange/plan.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The communication of an exchange on one rank: in one step, a sum over steps, or a mean.
struct Traffic {
  double points = 0;    ///< waits
  double rounds = 0;    ///< rounds of messages that depend on those before; continuations make several within one wait
  double peers = 0;     ///< other ranks to which it sends
  double messages = 0;  ///< messages to other ranks; each piece counts
  double bytes = 0;     ///< bytes to other ranks
  double collectives = 0;  ///< collectives of the MPI library

  Traffic& operator+=(const Traffic& other);  ///< adds each number
  Traffic operator*(double factor) const;     ///< multiplies each number
};

/// The traffic of one start of a planned exchange on this rank. Not collective.
Traffic traffic_of(const Plan& plan, const std::deque<Requests>& clients, int rank);

/// What a StepManager recorded on this rank since its counts were last reset: sums over the steps, which RunProfile
/// gathers. Without a timeline all is empty.
struct StepProfile {
  /// One client.
  struct Client {
    std::string name;  ///< name of the client
    /// Whether its traffic is that of a tree (it has continuations or collectives), not of a halo's surface.
    bool tree = false;
    double before = 0;  ///< seconds of computation in `before`
    double during = 0;  ///< seconds of computation in `during`
    double after = 0;   ///< seconds of computation in `after` and `finish`
    Traffic alone{};    ///< traffic in an exchange of its own, whatever StepOptions::coalesce is
  };
  std::int64_t steps = 0;       ///< number of steps
  double seconds = 0;           ///< seconds in run_step()
  std::vector<Client> clients;  ///< clients that ever took part
  Traffic together;  ///< traffic in one exchange for all clients of a step, whatever StepOptions::coalesce is
  double polls = 0;  ///< calls of Step::progress
  std::vector<double> computed;  ///< seconds of computation in each of the last steps, at most 256
};

}  // namespace weft
