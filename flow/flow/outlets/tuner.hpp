// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

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

/// Adjusts tuned windkessels after each beat except the first, from the beat's flows and pressures, until the targets
/// are met.
///
/// Each resistance becomes (target mean pressure - pressure loss up to the outlet) / target flow; pressures need not
/// have settled for that. All outlets have the same time constant: the capacitance is changed by the factor that a
/// model of one windkessel needs to change its pulse by the required factor. Capacitors receive their missing volume
/// within the first fifth of the next beat, so that the run need not wait for the flow to fill them. If the proximal
/// resistance alone causes a larger pulse than the target, it is halved. Each change is at most a factor of two. Pure
/// arithmetic, the same on all ranks.
class Tuner {
 public:
  /// Begins with the case's fitted windkessels, minus the capacitance of the lattice's fluid in the vessel (`volume`,
  /// m^3).
  Tuner(const Case& c, const Scaling& scaling, double volume);

  const WindkesselCase& windkessel(std::size_t opening) const { return windkessels_[opening]; }
  /// External filling of this opening's capacitor, m^3 in total.
  double fill(std::size_t opening) const { return fill_[opening]; }
  static constexpr double fill_part = 0.2;  ///< of a beat

  /// Adjusts the windkessels after a beat.
  void after(const Beats& beats);
  /// Whether all targets were met in the last beat.
  bool met() const { return met_; }
  std::int64_t changes() const { return changes_; }

  struct Target {
    double mean = 0, pulse = 0;  ///< Pa; pulse 0: no target
  };
  /// The targets for a beat with such a pressure.
  Target target(const BeatOfOpening& at) const;

  /// The state for checkpoints.
  struct State {
    std::vector<WindkesselCase> windkessels{};
    std::vector<double> fill{}, offset{};
    std::int64_t changes = 0;
    bool met = false;
  };
  State state() const { return {windkessels_, fill_, offset_, changes_, met_}; }
  /// Returns false if the state is for another number of openings.
  bool restore(const State& state);

 private:
  bool is_met(const Beats& beats, double out) const;
  void learn_offsets(const Beats& beats);
  void set_resistances(const Beats& beats, double out, double through);
  void set_capacitances(const Beats& beats, double through, double conductance_before);
  void shorten_proximal();
  double conductance() const;  // of all parallel distal resistances

  const Case& case_;
  Scaling scaling_;
  std::vector<WindkesselCase> windkessels_;  // for each opening
  std::vector<double> fill_, flow_;          // flow_: prescribed, through tuned outlets over a beat
  std::vector<double> offset_;               // pressure of an outlet's sites - windkessel pressure, Pa
  double period_ = 0;
  std::int64_t changes_ = 0;
  bool met_ = false;
};

}  // namespace weft::flow
