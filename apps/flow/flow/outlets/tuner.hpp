// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/outlets/beats.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// Changes tuned windkessels after each beat but the first, by what the vessel did in it, until its targets are met.
///
/// Resistances: what the mean pressure that is wanted has to drive through each outlet, less what was lost on the way
/// to it. That needs no pressure to have settled. The capacitance, one time constant for all: as much more or less as
/// the model of one windkessel needs for a pulse that is other by the same factor. And so that nobody waits for
/// capacitors to fill, they get what they lack in a fifth of the next beat. Where a proximal resistance takes more of
/// the pulse than is wanted in all, it is halved. A step is at most a factor of two; pure arithmetic, so that all ranks
/// do the same.
class Tuner {
 public:
  /// What the case was fitted to, less the capacitance that the lattice's fluid in the vessel (m^3) has itself.
  Tuner(const Case& c, const Scaling& scaling, double volume);

  const WindkesselCase& windkessel(std::size_t opening) const { return windkessels_[opening]; }
  /// Of this opening's capacitor from outside, m^3 in all.
  double fill(std::size_t opening) const { return fill_[opening]; }
  static constexpr double fill_part = 0.2;  ///< of a beat

  /// After a beat.
  void after(const Beats& beats);
  /// All targets were met in the last beat.
  bool met() const { return met_; }
  std::int64_t changes() const { return changes_; }

  struct Target {
    double mean = 0, pulse = 0;  ///< Pa; no pulse: 0
  };
  /// What is wanted of a beat that has such a pressure.
  Target target(const BeatOfOpening& at) const;

  /// For checkpoints.
  struct State {
    std::vector<WindkesselCase> windkessels{};
    std::vector<double> fill{}, offset{};
    std::int64_t changes = 0;
    bool met = false;
  };
  State state() const { return {windkessels_, fill_, offset_, changes_, met_}; }
  /// False if it is of another number of openings.
  bool restore(const State& state);

 private:
  bool is_met(const Beats& beats, double out) const;
  void learn_offsets(const Beats& beats);
  void set_resistances(const Beats& beats, double out, double through);
  void set_capacitances(const Beats& beats, double through, double conductance_before);
  void shorten_proximal();
  double conductance() const;  // of the resistances at the capacitors, side by side

  const Case& case_;
  Scaling scaling_;
  std::vector<WindkesselCase> windkessels_;  // of each opening
  std::vector<double> fill_, flow_;          // flow_: through tuned outlets over a beat, as prescribed
  std::vector<double> offset_;               // what an outlet's sites have above its windkessel's pressure, Pa
  double period_ = 0;
  std::int64_t changes_ = 0;
  bool met_ = false;
};

}  // namespace weft::flow
