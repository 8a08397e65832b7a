// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "flow/outlets/windkessel.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// Controls the pressure at an opening so that it holds a prescribed flow out of the vessel. The measured flow is known
/// two steps late.
///
/// A velocity condition prescribes the whole velocity profile at an outflow. Deviations from it (vortices, a jet) must
/// vanish within a layer of thickness viscosity / speed. If that layer is thinner than a voxel, above a cell Reynolds
/// number of about 6, a wave with a wavelength of two voxels travels upstream and grows. A pressure condition lets the
/// deviations leave. The pressure then only controls the flow: an impedance Z = density x sound speed / area in series
/// with a capacitor that the surplus fills,
///     p = P + Z e,   dP/dt = Z e / T,   e = flow - wanted.
/// Z is the fluid's own impedance, so that sound is not reflected. P brings the mean flow to the wanted one, without a
/// remaining error. T is half the time that sound takes through the vessel. (Measured with pulses: with a quarter the
/// flow oscillates, with the whole time the error within a beat is three times as large.)
///
/// A share of an inflow that velocities prescribe is applied at once. If an inlet prescribes a pressure, a share is
/// followed with a time constant of four times the sound's travel time through the vessel: a wave from the outlet
/// changes the inflow at the inlet, which must not change the outlet in the meantime.
class HeldFlow {
 public:
  /// `area` of the opening, m^2; `crossing`: time that sound takes through the vessel, s.
  HeldFlow(const Scaling& scaling, double area, double crossing)
      : gain_(impedance(scaling, area) * scaling.dt / (crossing / 2)), follow_(scaling.dt / (4 * crossing)),
        matched_(impedance(scaling, area), least_steps * scaling.dt / impedance(scaling, area), scaling.dt) {}

  using State = Windkessel::State;  ///< P, and Z e smoothed over some steps by a capacitor parallel to Z
  /// The state after one more step in which the outflow is too large by `surplus`, m^3/s.
  State after(const State& state, double surplus) const {
    return {state.distal + gain_ * surplus, matched_.after_step(state.proximal, surplus, 0)};
  }
  /// The pressure for the step after the one in which `surplus` is known, Pa.
  double pressure(const State& state, double surplus) const {
    return state.distal + ahead * gain_ * surplus + matched_.ahead(state.proximal, surplus, 0);
  }
  /// For a share: the wanted flow one step later, on its way to `share`, m^3/s.
  double followed(double wanted, double share) const { return wanted + follow_ * (share - wanted); }

 private:
  static double impedance(const Scaling& s, double area) {
    return s.density * s.speed_unit() / (std::sqrt(3.0) * area);
  }

  static constexpr double least_steps = 16, ahead = 4;  // as for a windkessel with a proximal resistance, see there
  double gain_;                                         // Pa per step and surplus flow
  double follow_;
  ResistorCapacitor matched_;
};

}  // namespace weft::flow
