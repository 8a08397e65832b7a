// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// What the vessel as a whole does over the pulse, where outlets follow the flow: its pressure, and with it the density
/// of the lattice's fluid, which yields as an elastic vessel would.
struct Swing {
  double lattice_compliance = 0;     ///< m^3/Pa: the volume over density x sound speed^2 of the lattice's fluid
  double windkessel_compliance = 0;  ///< m^3/Pa, of all windkessels as the case gives them
  double sound_speed = 0;            ///< m/s, of the lattice's fluid: as fast as waves of pressure travel

  bool is_known = false;  ///< flows meet windkessels; otherwise the pressures below are none
  double start = 0;       ///< Pa, what the windkessels begin with
  double lowest = 0,
         highest = 0;  ///< Pa, from the start on until beats are alike (or, without a period, until nothing changes)
  double beat_lowest = 0, beat_highest = 0, beat_mean = 0;  ///< Pa, of the last beat
  double stored_share =
      0;  ///< of what flows in while the pressure rises in that beat, how much the lattice's fluid keeps

  /// How far the lattice's density gets from 1 at most, once beats are alike.
  double beat_deviation(const Scaling& scaling) const;
  /// The same from the start on.
  double deviation(const Scaling& scaling) const;
};

/// From the vessel as one room (0-D) that flows enter and windkessels leave: the inlets' waveforms, beat by beat, into
/// the lattice's compliance and the windkessels. No length of the run counts, so a trial of some steps is told what the
/// whole one would be. `volume`: of the vessel's fluid, m^3; 0: unknown, then the lattice stores nothing. Pure; some
/// milliseconds at most.
Swing expected_swing(const Case& c, const Scaling& scaling, double volume);

}  // namespace weft::flow
