// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/shared/statistics.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

/// Something that is timed beside others, and its samples: seconds a run, the slowest rank's, one of each turn.
struct Timed {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds{};
  /// After each batch, untimed: completes what runs leave on its way, so that it does not fall into another one's time.
  std::function<void()> settle{};

  Spread spread() const { return spread_of(seconds); }
};

struct TurnOptions {
  double seconds = 1;      ///< for all of them together, roughly: what has been begun is ended
  std::size_t fewest = 5;  ///< turns, whatever they take
  std::size_t most = 400;
  double batch_seconds = 0.02;  ///< a batch is shorter where the time would not do for 20 turns
};

/// Times all of them in turns: in each turn a batch of runs of each, first the one that follows the last turn's first;
/// every other turn goes backwards, so that nobody always comes after the same one. What the machine does meanwhile so
/// hits all alike, and samples of one turn may be compared. Collective.
void time_in_turns(Transport& transport, std::vector<Timed>& all, const TurnOptions& options);

/// By how much longer a takes than b: the ratios of the same turns.
Spread ratio(const Timed& a, const Timed& b);

Spread scaled(Spread s, double by);
/// by / s: of times, a rate.
Spread inverse(Spread s, double by);

}  // namespace weft::bench
