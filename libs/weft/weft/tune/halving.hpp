// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft {

/// Successive halving (Jamieson and Talwalkar, AISTATS 2016): measure all candidates a few times, keep the faster half
/// by their medians, measure those twice as often, until one is left. That one meets the plain candidate, number 0,
/// which stays to the end, in a last round of its own; if it does not win clearly, plain is the answer.
///
///     Halving halving(candidates.size());
///     while (!halving.done()) halving.record(seconds_of_an_iteration_with(halving.next()));
///     use(halving.best());
///
/// Within a round candidates take turns in an order that is drawn anew in each turn, so that a drift of the machine
/// hits all. Pure: ranks that record the same seconds (the slowest rank's, say) agree on everything. Not thread-safe.
class Halving {
 public:
  /// How thoroughly it measures.
  struct Options {
    int repetitions = 3;        ///< of each candidate in the first round
    int most_repetitions = 16;  ///< of a round; the last one has 5 at least
    double noise = 0.02;        ///< the winner has to be faster than plain by this share
    double limit_seconds = 0;   ///< once as much was recorded, rounds have one turn, and the last one 5; 0: no limit
    std::uint64_t seed = 1;     ///< of the order; the same on all ranks
  };

  /// Candidates are numbered from 0, the plain one. Throws Error if there is none, or without repetitions.
  explicit Halving(std::size_t candidates) : Halving(candidates, Options{}) {}
  /// The same, as the options say.
  Halving(std::size_t candidates, const Options& options);

  /// Whether best() is the answer.
  bool done() const { return done_; }
  /// The candidate to measure next; once done, the best.
  std::size_t next() const { return done_ ? best_ : order_[at_]; }
  /// What it took. Throws Error unless it is a number of 0 or more, and when done.
  void record(double seconds);
  /// The answer once done; until then, plain.
  std::size_t best() const { return best_; }
  /// How many times as fast as plain the best is, the median of the last round's turns; 1 if it is plain.
  double speedup() const { return speedup_; }
  /// How many measurements were recorded.
  std::size_t recorded() const { return recorded_; }

  /// How many measurements it takes without a limit, from the first to the last. Pure.
  static std::size_t measurements(std::size_t candidates, const Options& options);

 private:
  void begin_turn();
  void end_round();
  void decide();

  Options options_;
  std::vector<std::size_t> alive_;            // plain is the first
  std::vector<std::vector<double>> samples_;  // of each candidate, a turn each
  std::vector<std::size_t> order_;            // of this turn
  std::size_t at_ = 0, recorded_ = 0, best_ = 0;
  int turns_ = 0, turn_ = 0;  // of this round
  bool last_ = false, done_ = false;
  double spent_ = 0, speedup_ = 1;
  std::uint64_t random_;
};

/// Of values in any order; 0 if there are none.
double median(std::span<const double> values);

/// How many times as fast `other` is as `plain`, both measured in the same turns, as the median of the turns' ratios; 1
/// unless it is so by more than `noise`, and faster in three turns of four. Pure.
double clear_speedup(std::span<const double> plain, std::span<const double> other, double noise);

}  // namespace weft
