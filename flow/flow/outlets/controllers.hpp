// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "flow/outlets/windkessel.hpp"
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

/// Corrects a pressure condition, so that the pressure that acts in the vessel is the prescribed one.
///
/// The populations that enter are not exactly those of the flow: an error e of the velocity costs e x density x sound
/// speed. It is proportional to the flow, by a factor that depends on how the plane cuts the lattice (up to 0.06
/// impedances). The factor is adapted slowly until the gauge shows the wanted pressure; then it also holds for other
/// flows of a beat.
class PressureLevel {
 public:
  /// `area` of the opening, m^2; `crossing`: time that sound takes through the vessel, s.
  PressureLevel(const Scaling& s, double area, double crossing)
      : gain_(s.dt / (4 * crossing)),  // slow compared with the pressure's other responses
        least_flow_(1e-4 * s.speed_unit() * area), most_(0.1 * s.density * s.speed_unit() / (std::sqrt(3.0) * area)) {}

  struct State {
    double flow = 0;                      ///< m^3/s out of the vessel, smoothed over some steps
    double most = 0;                      ///< the largest of its magnitudes
    std::array<double, 3> resistances{};  ///< Pa s/m^3: of outflow, of inflow, of inflow with a profile (FedFlow)

    std::size_t which(bool is_fed) const { return is_fed ? 2 : flow < 0 ? 1 : 0; }
    /// What is added to the prescribed pressure, Pa.
    double offset(bool is_fed) const { return resistances[which(is_fed)] * flow; }
  };
  /// The state after one more step with a flow out of the vessel (m^3/s) in which the pressure is too low by `missing`,
  /// Pa: the step of least mean squares for the resistance. It moves the pressure by gain_ x missing unless the flow is
  /// small.
  State after(State state, double flow, double missing, bool is_fed) const {
    constexpr double smoothing = 1.0 / 16;
    state.flow += smoothing * (flow - state.flow);
    state.most = std::max(state.most, std::abs(state.flow));
    const double small = 0.1 * state.most + least_flow_;
    auto& resistance = state.resistances[state.which(is_fed)];
    resistance += gain_ * missing * state.flow / (state.flow * state.flow + small * small);
    resistance = std::clamp(resistance, -most_, most_);
    return state;
  }

 private:
  double gain_;  // per step
  double least_flow_, most_;
};

}  // namespace weft::flow
