// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"

namespace weft::flow {

/// The vessel as one 0-D compartment of pressure p. The openings' flows enter it and windkessels drain it: C dp/dt =
/// inflow - sum of (p - P) / proximal. Integrated by backward Euler, since a windkessel with a small proximal
/// resistance responds much faster than a beat. Prescribed pressures fix p at their mean. Borrows the case.
class VesselCompartment {
 public:
  static constexpr int steps_a_beat = 1000;
  static constexpr int most_beats = 300;

  struct Outlet {
    const OpeningCase* opening;
    double pressure;  ///< Pa, at the capacitor
  };

  /// `compliance` of the vessel itself, m^3/Pa.
  VesselCompartment(const Case& c, double compliance);

  double inflow(double time) const;
  void advance(double time, double step);
  double pressure() const { return pressure_; }
  const std::vector<Outlet>& outlets() const { return outlets_; }
  /// The longest time constant of the pressures, s. Infinite or not-a-number without windkessels or compliance.
  double slowest() const;

 private:
  double held(double time) const;

  const Case& case_;
  double compliance_;
  std::vector<Outlet> outlets_;
  std::vector<const OpeningCase*> holding_;  ///< prescribed pressures
  double share_ = 0, pressure_ = 0;
};

/// The longest period (0: none), and the time after which tables without a period are constant, s.
struct CompartmentTimes {
  double period = 0, ends = 0;
};
CompartmentTimes compartment_times(const Case& c);

/// Sets the initial pressure of each windkessel without a given one to that of the periodic state at the beginning of a
/// beat; for flows without a period, to the steady state of their initial values. Without prescribed flows or
/// pressures, the initial pressure stays the one behind.
void settle_windkessels(Case& c);

}  // namespace weft::flow
