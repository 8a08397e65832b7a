// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/shared/statistics.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

/// One of several operations that are timed interleaved, and its samples: seconds per run of the slowest rank, one per
/// turn.
struct Timed {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds{};
  /// Called after each batch, untimed: completes messages that runs have left in flight, so that they do not disturb
  /// other operations.
  std::function<void()> settle{};

  Spread spread() const { return spread_of(seconds); }
};

struct TurnOptions {
  double seconds = 1;      ///< approximate time for all operations; a turn that has begun is completed
  std::size_t fewest = 5;  ///< smallest number of turns, whatever their duration
  std::size_t most = 400;
  double batch_seconds = 0.02;  ///< batches are shorter if the time would not suffice for 20 turns
};

/// Times all operations interleaved: each turn runs a batch of each, with a rotating first one; every other turn goes
/// backwards, so that none always follows the same other one. So disturbances of the machine affect all equally, and
/// samples of one turn can be compared. Collective.
void time_in_turns(Transport& transport, std::vector<Timed>& all, const TurnOptions& options);

/// Seconds of run() on the slowest rank; all ranks begin together. Collective.
double slowest(Transport& transport, const std::function<void()>& run);

/// Whether the time is over, the same on all ranks, which must ask equally often.
class Deadline {
 public:
  Deadline(Transport& transport, double seconds);
  bool is_over() const;

 private:
  Transport& transport_;
  double until_;
};

/// The ratios a / b of the same turns.
Spread ratio(const Timed& a, const Timed& b);

Spread scaled(const Spread& s, double by);
/// by / s, which converts times to rates.
Spread inverse(const Spread& s, double by);

}  // namespace weft::bench
