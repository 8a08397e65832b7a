// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "flow/scaling/scaling.hpp"

namespace weft::flow {

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
