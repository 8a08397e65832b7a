// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

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

/// The pressure at a windkessel outlet, from the flow through it, which is known two steps late.
///
/// The model is two ResistorCapacitors in series: the windkessel's own, and the proximal resistance with its own
/// capacitor. A capacitor is never smaller than least_capacitance() = 8 dt / Z (twice that with a proximal resistance).
/// The prescribed pressure is the one that both reach within four steps at constant flow.
///
/// Reason: a change dp of the prescribed pressure sends a sound wave into the vessel, which at once changes the flow
/// through the outlet by -dp / Z, Z = density x sound speed / area. A resistance above Z that responds only to the flow
/// of earlier steps would amplify each disturbance (by R / Z each time). With the capacitor the immediate response to a
/// change of flow is at most Z / 2, for any R. A capacitor that responds late amplifies the waves that it reflects, and
/// they grow if walls and viscosity hardly damp them. Extrapolating further than the delay damps them, as Z / 2 does.
/// (Measured: tubes of 10 to 60 voxels, tau from 0.502, R up to 1000 Z. With 2 dt / Z, or extrapolation by only two
/// steps, some of them become unstable.) The cost is a lag of R x least_capacitance(): as much as the compliance of the
/// lattice's fluid in about five voxels of the vessel causes (nine with a proximal resistance). It vanishes with the
/// time step.
class Windkessel {
 public:
  Windkessel(const WindkesselCase& c, double least_capacitance, double step_seconds);

  struct State {
    double distal = 0;    ///< at the windkessel's capacitor, Pa
    double proximal = 0;  ///< over the proximal resistance, Pa
    bool operator==(const State&) const = default;
  };
  State start() const { return {initial_, 0}; }
  /// The state after one more step with this flow out of the vessel (m^3/s) and the pressure `behind` far behind (Pa).
  State after(const State& state, double flow, double behind) const;
  /// The outlet's pressure for the step after the one in which this flow is known, Pa.
  double pressure(const State& state, double flow, double behind) const;
  /// The part of that pressure over the proximal resistance.
  double over_proximal(const State& state, double flow) const {
    return has_proximal_ ? proximal_.ahead(state.proximal, flow, 0) : 0;
  }

 private:
  double initial_;
  ResistorCapacitor distal_, proximal_;
  bool has_proximal_;
};

/// The smallest capacitance of each of a windkessel's capacitors, m^3/Pa. `area`: of the outlet, m^2.
double least_capacitance(const WindkesselCase& c, const Scaling& scaling, double area);

/// The delay of the outlet's pressure against the exact model, s.
double lag_of(const WindkesselCase& c, const Scaling& scaling, double area);

/// Means of the vessel without its own resistance.
struct SteadyWindkessels {
  double flow = 0;      ///< through all windkessels, m^3/s
  double rise = 0;      ///< of the pressure by that flow, Pa
  double pressure = 0;  ///< in the vessel, Pa
};

/// The approximate means that the vessel reaches, if velocities alone drive the flow and all pressure openings are
/// windkessels, which are in parallel. Nothing otherwise.
std::optional<SteadyWindkessels> steady_windkessels(const Case& c);

}  // namespace weft::flow
