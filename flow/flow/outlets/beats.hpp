// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace weft::flow {

/// Difference of a beat from the previous one.
struct BeatDifference {
  std::int64_t beat = 0;  ///< the later beat, counted from 0
  double difference = 0;  ///< largest relative difference of any opening's flow or pressure
  std::string of{};       ///< "flow of 'in'"
};

/// Flow and pressure of an opening over a beat.
struct BeatOfOpening {
  double flow = 0;                           ///< mean, into the vessel, m^3/s
  double mean = 0, lowest = 0, highest = 0;  ///< pressure, Pa
  /// Highest - lowest, and mean - lowest, after removing the linear trend over the beat, as if the pressure were
  /// periodic.
  double pulse = 0, above = 0;
};

/// Compares each beat with the previous one: the waveforms of all openings' flows and pressures, at 128 times per beat.
///
/// The difference of two waveforms is the root mean square of their difference. For a flow it is divided by the flow's
/// root mean square (at least a hundredth of the largest one of all openings), for a pressure by the pressure range of
/// all openings in the beat. All ranks pass the same numbers and get the same results.
class Beats {
 public:
  static constexpr std::size_t samples = 128;

  /// `names`: of the openings; `period` of a beat and duration of a step, s. Beats begin at time 0; if the first step
  /// is a later one, comparison begins with the next beat.
  Beats(std::vector<std::string> names, double period, double step_seconds);

  /// Takes a step's time, flows into the vessel and pressures, one per opening; times must ascend. Returns whether a
  /// beat ended.
  bool take(double time_s, const std::vector<double>& flow, const std::vector<double>& pressure);

  std::int64_t beats() const { return finished_; }  ///< completed beats
  const std::vector<BeatDifference>& differences() const { return differences_; }
  /// The last completed beat.
  BeatOfOpening last(std::size_t opening) const;

  /// The state for a checkpoint.
  struct State {
    std::int64_t next = -1, finished = 0;
    double time = 0;
    std::vector<double> value{}, now{}, last{};
    std::vector<BeatDifference> differences{};
  };
  State state() const { return {next_, finished_, time_, value_, now_, last_, differences_}; }
  /// Returns false if the state is for another number of openings.
  bool restore(const State& state);

 private:
  void compare();

  std::vector<std::string> names_;
  double period_, step_seconds_;
  std::int64_t next_ = -1;  // the next sample; -1: none yet
  std::int64_t finished_ = 0;
  double time_ = 0;
  std::vector<double> value_;       // flows, then pressures, at time_
  std::vector<double> now_, last_;  // a beat: one such row per sample
  std::vector<BeatDifference> differences_;
};

}  // namespace weft::flow
