// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::flow {

/// A resistance beside a capacitor: dP/dt = (Q - (P - D) / R) / C, with Q and D that stay the same for a step. Exact,
/// so stable for any step; of additions, multiplications and divisions alone, so the same bits on every machine.
class ResistorCapacitor {
 public:
  ResistorCapacitor(double resistance, double capacitance, double step_seconds);

  /// P a step later, and four steps.
  double after_step(double pressure, double flow, double behind) const { return moved(pressure, flow, behind, one_); }
  double ahead(double pressure, double flow, double behind) const { return moved(pressure, flow, behind, four_); }

 private:
  double moved(double pressure, double flow, double behind, double share) const {
    return pressure + share * (behind + resistance_ * flow - pressure);
  }
  double resistance_;
  double one_, four_;  // how much of the way to its end a pressure goes in so many steps
};

/// 1 - exp(-x) for x >= 0.
double decayed(double x);

}  // namespace weft::flow
