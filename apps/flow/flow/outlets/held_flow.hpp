// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "flow/outlets/windkessel.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// The pressure at an opening that holds a flow out of the vessel, which is known two steps late.
///
/// A velocity condition prescribes all of the velocity where fluid leaves. What a profile has beside the prescribed one
/// (vortices, a jet) has to end within a layer of thickness viscosity / speed. Where that layer is thinner than a
/// voxel, from a voxel's Reynolds number of some 6 on, it becomes a wave of two voxels' length that travels upstream
/// and grows. A pressure condition lets all of it leave. One number, the flow, is then held by the pressure: an
/// impedance Z = density x sound speed / area in front of a capacitor that the surplus fills,
///     p = P + Z e,   dP/dt = Z e / T,   e = flow - wanted.
/// Z is the fluid's own impedance, so that sound leaves as it comes. P makes the flow the wanted one on the mean, to
/// all digits. T is half of what sound takes through the vessel. (Measured in pulses: a quarter lets the flow ring, all
/// of it leaves three times the error within a beat.)
///
/// A share of an inflow that velocities prescribe is wanted at once. Where an inlet prescribes a pressure, a share is
/// followed with a time constant of four times what sound takes through the vessel: a wave that the outlet sends to the
/// inlet changes the inflow, which must not have changed the outlet meanwhile.
class HeldFlow {
 public:
  /// `area` of the opening, m^2; `crossing`: what sound takes through the vessel, s.
  HeldFlow(const Scaling& scaling, double area, double crossing)
      : gain_(impedance(scaling, area) * scaling.dt / (crossing / 2)), follow_(scaling.dt / (4 * crossing)),
        matched_(impedance(scaling, area), least_steps * scaling.dt / impedance(scaling, area), scaling.dt) {}

  using State = Windkessel::State;  ///< P, and Z e as a capacitor of a few steps beside Z smooths it
  /// After one more step with so much more leaving than is wanted, m^3/s.
  State after(const State& state, double surplus) const {
    return {state.distal + gain_ * surplus, matched_.after_step(state.proximal, surplus, 0)};
  }
  /// What is prescribed at the opening in the step after the one in which this is known, Pa.
  double pressure(const State& state, double surplus) const {
    return state.distal + ahead * gain_ * surplus + matched_.ahead(state.proximal, surplus, 0);
  }
  /// Of a share, what is wanted a step later where it has to come to `share`, m^3/s.
  double followed(double wanted, double share) const { return wanted + follow_ * (share - wanted); }

 private:
  static double impedance(const Scaling& s, double area) {
    return s.density * s.speed_unit() / (std::sqrt(3.0) * area);
  }

  static constexpr double least_steps = 16, ahead = 4;  // as a windkessel with a proximal resistance: see there
  double gain_;                                         // Pa a step, of a flow that is too much
  double follow_;
  ResistorCapacitor matched_;
};

}  // namespace weft::flow
