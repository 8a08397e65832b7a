// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "flow/case/case.hpp"
#include "flow/lumped/resistor_capacitor.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// The pressure at a windkessel outlet from the flow through it, which is known two steps late.
///
/// The pressure is two ResistorCapacitors in series: the windkessel's own, and the proximal resistance with a capacitor
/// of its own. A capacitor is never smaller than least_capacitance() = 8 dt / Z (twice that with a proximal
/// resistance), and what is prescribed is the pressure that both come to within four steps if the flow stays as it is
/// known.
///
/// Why: a pressure that is prescribed sends a sound wave into the vessel, which changes the flow through the outlet at
/// once by -dp / Z, Z = density x sound speed / area. A resistance above Z that answers to the flow of earlier steps
/// alone would therefore make each disturbance larger (by R / Z a time). With the capacitor a change of the flow is
/// answered at once by at most half of Z, whatever R is. And a capacitor that answers late pushes waves that come back
/// from it, which grow where walls and viscosity hardly damp them; one that looks further ahead than it is late takes
/// from them, as Z / 2 does. (Measured: tubes of 10 to 60 voxels, tau from 0.502, R up to 1000 Z. With 2 dt / Z, or
/// looking ahead by two steps only, some of them break.) The price is a lag of R x least_capacitance(): that is as much
/// as the lattice's own fluid yields in some five voxels of the vessel (nine with a proximal resistance), and it
/// vanishes with the time step.
class Windkessel {
 public:
  Windkessel(const WindkesselCase& c, double least_capacitance, double step_seconds);

  struct State {
    double distal = 0;    ///< at the windkessel's capacitor, Pa
    double proximal = 0;  ///< over the proximal resistance, Pa
    bool operator==(const State&) const = default;
  };
  State start() const { return {initial_, 0}; }
  /// After one more step with this flow out of the vessel (m^3/s), `behind` (Pa) being the pressure far behind.
  State after(const State& state, double flow, double behind) const;
  /// What is prescribed at the outlet in the step after the one in which this flow is known.
  double pressure(const State& state, double flow, double behind) const;
  /// Of that, what is over the proximal resistance.
  double over_proximal(const State& state, double flow) const {
    return has_proximal_ ? proximal_.ahead(state.proximal, flow, 0) : 0;
  }

 private:
  double initial_;
  ResistorCapacitor distal_, proximal_;
  bool has_proximal_;
};

/// Of each of a windkessel's capacitors, m^3/Pa. `area`: of the outlet, m^2.
double least_capacitance(const WindkesselCase& c, const Scaling& scaling, double area);

/// How much later than the model's own the pressure at the outlet is, s.
double lag_of(const WindkesselCase& c, const Scaling& scaling, double area);

/// About what the pressure in the vessel comes to, if velocities alone drive the flow and all outlets with a pressure
/// are windkessels: their mean flow through all windkessels side by side, the vessel itself taken for wide. Nothing
/// otherwise.
std::optional<double> steady_windkessel_pressure(const Case& c);

}  // namespace weft::flow
