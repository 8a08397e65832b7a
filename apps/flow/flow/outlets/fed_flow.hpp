// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "flow/lumped/resistor_capacitor.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// The mean speed at an opening through which a pressure drives fluid into the vessel. The pressure there is known two
/// steps late.
///
/// A lattice's pressure condition gives what enters each site's own velocity. Where fluid comes in, that feeds itself:
/// a jet grows, and the pressure behind it is not the prescribed one. So what comes in has the profile of steady flow
/// instead, by a velocity condition, whose mean speed follows the pressure,
///     u = U + e / z,   dU/dt = e / (z T),   e = prescribed - measured pressure,   z = density x sound speed.
/// The first term lets sound out as it comes; U makes the mean pressure over the opening's sites the prescribed one, to
/// all digits. It is HeldFlow with flow and pressure exchanged, and T is the same.
class FedFlow {
 public:
  /// `crossing`: what sound takes through the vessel, s.
  FedFlow(const Scaling& s, double crossing)
      : gain_(s.dt / (crossing / 2) / impedance(s)),
        matched_(1 / impedance(s), least_steps * s.dt * impedance(s), s.dt) {}

  struct State {
    double mean = 0;    ///< U, m/s into the vessel
    double answer = 0;  ///< e / z, smoothed over a few steps
  };
  /// After one more step with so much less pressure than is prescribed, Pa.
  State after(const State& state, double missing) const {
    return {state.mean + gain_ * missing, matched_.after_step(state.answer, missing, 0)};
  }
  /// What is prescribed in the step after the one in which this is known, m/s.
  double speed(const State& state, double missing) const {
    return state.mean + ahead * gain_ * missing + matched_.ahead(state.answer, missing, 0);
  }

 private:
  static double impedance(const Scaling& s) { return s.density * s.speed_unit() / std::sqrt(3.0); }

  static constexpr double least_steps = 16, ahead = 4;  // as HeldFlow
  double gain_;                                         // m/s a step, of a pressure that is missing
  ResistorCapacitor matched_;
};

}  // namespace weft::flow
