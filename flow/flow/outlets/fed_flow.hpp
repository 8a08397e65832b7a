// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "flow/lumped/resistor_capacitor.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// Controls the mean speed at an opening through which a prescribed pressure drives fluid into the vessel. The measured
/// pressure is known two steps late.
///
/// The lattice's pressure condition lets fluid enter with each site's own velocity. With inflow this amplifies itself:
/// a jet grows, and the pressure behind it is not the prescribed one. Instead the inflow gets the profile of steady
/// flow from a velocity condition, whose mean speed u is controlled by the pressure:
///     u = U + e / z,   dU/dt = e / (z T),   e = prescribed - measured pressure,   z = density x sound speed.
/// The term e / z makes the opening non-reflecting for sound; U brings the mean pressure over the opening's sites to
/// the prescribed one, without a remaining error. It is HeldFlow with flow and pressure exchanged, with the same T.
class FedFlow {
 public:
  /// `crossing`: time that sound takes through the vessel, s.
  FedFlow(const Scaling& s, double crossing)
      : gain_(s.dt / (crossing / 2) / impedance(s)),
        matched_(1 / impedance(s), least_steps * s.dt * impedance(s), s.dt) {}

  struct State {
    double mean = 0;    ///< U, m/s into the vessel
    double answer = 0;  ///< e / z, smoothed over some steps
  };
  /// The state after one more step in which the pressure is too low by `missing`, Pa.
  State after(const State& state, double missing) const {
    return {state.mean + gain_ * missing, matched_.after_step(state.answer, missing, 0)};
  }
  /// The speed for the step after the one in which `missing` is known, m/s.
  double speed(const State& state, double missing) const {
    return state.mean + ahead * gain_ * missing + matched_.ahead(state.answer, missing, 0);
  }

 private:
  static double impedance(const Scaling& s) { return s.density * s.speed_unit() / std::sqrt(3.0); }

  static constexpr double least_steps = 16, ahead = 4;  // as in HeldFlow
  double gain_;                                         // m/s per step and missing pressure
  ResistorCapacitor matched_;
};

}  // namespace weft::flow
