// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/outlets/beats.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

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
