// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

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

/// The pressure range of the vessel as a whole over the pulse, with windkessels at the outlets. The pressure changes
/// the density of the lattice's fluid, whose compliance acts like that of an elastic vessel.
struct PressureRange {
  double lattice_compliance = 0;     ///< m^3/Pa: volume / (density x sound speed^2) of the lattice's fluid
  double windkessel_compliance = 0;  ///< m^3/Pa, of all windkessels of the case
  double sound_speed = 0;            ///< m/s, of the lattice's fluid: the speed of pressure waves

  bool is_known = false;  ///< prescribed flows enter windkessels; otherwise the pressures below are unset
  double start = 0;       ///< Pa, initial pressure
  double lowest = 0,
         highest = 0;                                       ///< Pa, from the start until the periodic (or steady) state
  double beat_lowest = 0, beat_highest = 0, beat_mean = 0;  ///< Pa, of the last beat
  double stored_share = 0;  ///< fraction of that beat's inflow during rising pressure that the lattice's fluid stores

  /// Largest deviation of the lattice's density from 1 in the periodic state.
  double beat_deviation(const Scaling& scaling) const;
  /// The same from the start on.
  double deviation(const Scaling& scaling) const;
};

/// Computes the pressure range from a 0-D model of the vessel as one compartment: the inlets' waveforms, beat by beat,
/// flow into the lattice's compliance and the windkessels. The result does not depend on the length of the run.
/// `volume`: of the vessel's fluid, m^3; 0: unknown, then the lattice stores nothing. Pure; takes some milliseconds at
/// most.
PressureRange expected_pressure_range(const Case& c, const Scaling& scaling, double volume);

}  // namespace weft::flow
