// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::flow {

/// The mean velocity out of an outlet that takes a share of what enters: dv/dt = (share x Q_in - Q) / (area T).
///
/// Q, what is measured to leave, is very nearly area x v, so that v follows the wanted one like a low-pass filter of
/// the first order with the time constant T, and from rest it rises gently; and what leaves in the end is the share to
/// all digits, however the lattice's discs differ from round ones. T is four times what sound takes through the vessel:
/// where the inlet prescribes a pressure, a wave that the outlet sends there changes Q_in, which must not have changed
/// the outlet meanwhile.
class FlowShare {
 public:
  FlowShare(double area, double step_seconds, double time_constant) : gain_(step_seconds / (area * time_constant)) {}

  /// All flows in m^3/s, into and out of the vessel.
  double after(double velocity, double share, double inflow, double outflow) const {
    return velocity + gain_ * (share * inflow - outflow);
  }

 private:
  double gain_;  // m/s a step, of a flow that is missing
};

}  // namespace weft::flow
