// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "amr/elliptic/poisson.hpp"
#include "wave/simulation.hpp"

namespace weft::wave {

/// The elliptic equation that is solved beside the wave, as Wave3D of the multithreaded engine's paper has constraints
/// in every time step: Lap phi = (v^2 + c^2 |grad u|^2) / 2, the potential of the wave's energy density (its mean taken
/// off where all axes are periodic), phi = 0 on all faces that are not periodic. It is well posed for any wave. phi
/// does not act back.
///
/// Each solve begins at phi = 0, so it does not depend on what was before, nor on a restart.
class Constraint {
 public:
  struct Reading {
    double lowest = 0, highest = 0;  ///< phi, over cells that no finer one covers
    amr::Poisson::Result solved;
  };

  /// Refreshes the wave's ghosts. Collective. The same bits on any number of ranks.
  Reading solve(Simulation& simulation, double speed, double tolerance);

 private:
  std::unique_ptr<amr::Poisson> poisson_;
  int regrids_ = -1;  // of the simulation, when the solver was made
};

}  // namespace weft::wave
