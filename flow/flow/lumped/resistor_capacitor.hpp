// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::flow {

/// A resistance parallel to a capacitor: dP/dt = (Q - (P - D) / R) / C, with Q and D constant during a step. The
/// solution is exact, so stable for any step. Uses only additions, multiplications and divisions, so results are
/// bitwise identical on every machine.
class ResistorCapacitor {
 public:
  ResistorCapacitor(double resistance, double capacitance, double step_seconds);

  /// P after one step, and after four steps.
  double after_step(double pressure, double flow, double behind) const { return moved(pressure, flow, behind, one_); }
  double ahead(double pressure, double flow, double behind) const { return moved(pressure, flow, behind, four_); }

 private:
  double moved(double pressure, double flow, double behind, double share) const {
    return pressure + share * (behind + resistance_ * flow - pressure);
  }
  double resistance_;
  double one_, four_;  // fraction of the way to the steady pressure in one and four steps
};

/// 1 - exp(-x) for x >= 0.
double decayed(double x);

}  // namespace weft::flow
