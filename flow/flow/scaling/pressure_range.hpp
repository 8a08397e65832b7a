// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

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
