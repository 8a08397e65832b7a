// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace [[gnu::visibility("default")]] weft {

/// Finds the fastest candidate by successive halving (Jamieson and Talwalkar, AISTATS 2016): measures all a few times,
/// keeps the faster half by their medians, measures those twice as often, until one is left. A last round compares it
/// with the baseline (candidate 0), which stays to the end and is the answer unless the other one wins clearly.
///
///     Halving halving(candidates.size());
///     while (!halving.done()) halving.record(seconds_of_an_iteration_with(halving.next()));
///     use(halving.best());
///
/// In a round the measurements of the candidates are interleaved, each time in another random order, so that a drift of
/// the machine affects all. Not collective: ranks that record the same seconds (such as the slowest rank's) get the
/// same answers. Not thread-safe.
class Halving {
 public:
  /// How often it measures.
  struct Options {
    int repetitions = 3;        ///< measurements of each candidate in the first round
    int most_repetitions = 16;  ///< the most in any round; the last one has at least 5
    double noise = 0.02;        ///< by this fraction the winner must be faster than the baseline
    /// The longest duration of all measurements; 0: no limit. After a quarter of it, rounds have one repetition, the
    /// last one 5. A measurement that would exceed it if it took as long as the longest so far is not begun: the best
    /// so far is the answer.
    double limit_seconds = 0;
    std::uint64_t seed = 1;  ///< of the random order; the same on all ranks
  };

  /// Candidates are numbered from 0, the baseline. Throws Error without candidates or repetitions.
  explicit Halving(std::size_t candidates) : Halving(candidates, Options{}) {}
  /// The same with options.
  Halving(std::size_t candidates, const Options& options);

  /// Whether best() is the answer.
  bool done() const { return done_; }
  /// The candidate to measure next; once done(), the best.
  std::size_t next() const { return done_ ? best_ : order_[at_]; }
  /// Records the duration of a measurement of next(), and how long it took with all that belongs to it. Throws Error if
  /// done(), or unless the duration is a number of 0 or more.
  void record(double seconds, double took_seconds);
  /// The same if nothing else took time.
  void record(double seconds) { record(seconds, seconds); }
  /// The answer once done(); until then, the baseline.
  std::size_t best() const { return best_; }
  /// The speed-up of the best over the baseline, the median of the last round's repetitions; 1 if it is the baseline.
  double speedup() const { return speedup_; }
  /// Whether the time limit ended the measurements.
  bool is_cut_short() const { return is_cut_short_; }
  /// The number of recorded measurements.
  std::size_t recorded() const { return recorded_; }

  /// The number of measurements if there is no time limit.
  static std::size_t measurements(std::size_t candidates, const Options& options);

 private:
  void begin_turn();
  void end_round();
  void decide(std::size_t other);
  void stop();

  Options options_;
  std::vector<std::size_t> alive_;            // the baseline is the first
  std::vector<std::vector<double>> samples_;  // of each candidate, one per repetition
  std::vector<std::size_t> order_;            // of this repetition
  std::size_t at_ = 0, recorded_ = 0, best_ = 0;
  int turns_ = 0, turn_ = 0;  // of this round
  bool last_ = false, done_ = false, is_cut_short_ = false;
  double spent_ = 0, longest_ = 0, speedup_ = 1;
  std::uint64_t random_;
};

/// The median of values in any order; 0 if there are none.
double median(std::span<const double> values);

/// The speed-up of `other` over `plain`, which were measured interleaved: the median of the ratios. It is 1 unless it
/// exceeds 1 by more than `noise`, and `other` was faster in three of four repetitions.
double clear_speedup(std::span<const double> plain, std::span<const double> other, double noise);

}  // namespace weft
