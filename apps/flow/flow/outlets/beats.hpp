// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace weft::flow {

/// How far a beat is from the one before.
struct BeatDifference {
  std::int64_t beat = 0;  ///< the later one, counted from 0
  double difference = 0;  ///< the largest of any opening's flow or pressure
  std::string of{};       ///< "flow of 'in'"
};

/// What went through an opening in a beat, and its pressure.
struct BeatOfOpening {
  double flow = 0;                           ///< mean, into the vessel, m^3/s
  double mean = 0, lowest = 0, highest = 0;  ///< pressure, Pa
  /// Highest less lowest, and mean less lowest, without what the pressure went up over the whole beat: as if it were
  /// periodic.
  double pulse = 0, above = 0;
};

/// Compares each beat with the one before: the waveforms of all openings' flows and pressures, at 128 times a beat.
///
/// The difference of two waveforms is the root of the mean square of what they differ by, over a flow's own root mean
/// square (at least a hundredth of the largest one of all openings), or over how far all openings' pressures swing in
/// the beat. All ranks give it the same numbers, so all come to the same.
class Beats {
 public:
  static constexpr std::size_t samples = 128;

  /// Names of the openings, the time from one beat to the next, and a step's. Beats begin with time 0; where the first
  /// step that is taken is a later one, with the next beat.
  Beats(std::vector<std::string> names, double period, double step_seconds);

  /// A step's flows into the vessel and pressures, one each opening, and when it was; ascending. Returns whether a beat
  /// ended.
  bool take(double time_s, const std::vector<double>& flow, const std::vector<double>& pressure);

  std::int64_t beats() const { return finished_; }  ///< that are over
  const std::vector<BeatDifference>& differences() const { return differences_; }
  /// The last beat that is over.
  BeatOfOpening last(std::size_t opening) const;

  /// All that it goes on with, for a checkpoint: numbers and the differences.
  struct State {
    std::int64_t next = -1, finished = 0;
    double time = 0;
    std::vector<double> value{}, now{}, last{};
    std::vector<BeatDifference> differences{};
  };
  State state() const { return {next_, finished_, time_, value_, now_, last_, differences_}; }
  /// False if it is of another number of openings.
  bool restore(const State& state);

 private:
  void compare();

  std::vector<std::string> names_;
  double period_, step_seconds_;
  std::int64_t next_ = -1;  // the sample that comes; -1: none yet
  std::int64_t finished_ = 0;
  double time_ = 0;
  std::vector<double> value_;       // flows, then pressures, at that time
  std::vector<double> now_, last_;  // a beat: a row of such a sample
  std::vector<BeatDifference> differences_;
};

}  // namespace weft::flow
