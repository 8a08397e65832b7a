// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "amr/elliptic/poisson.hpp"
#include "wave/simulation.hpp"

namespace weft::wave {

/// The elliptic equation solved besides the wave, like the constraints in every time step of Wave3D in the paper on the
/// multithreaded engine: Lap phi = (v^2 + c^2 |grad u|^2) / 2, the potential of the wave's energy density (minus its
/// mean if all axes are periodic), phi = 0 on all faces that are not periodic. It is well posed for any wave. phi has
/// no effect on the wave.
///
/// Each solve starts from phi = 0, so it does not depend on earlier solves or on a restart.
class Constraint {
 public:
  struct Reading {
    double lowest = 0, highest = 0;  ///< phi, over cells not covered by finer ones
    amr::Poisson::Result solved;
  };

  /// Refreshes the wave's ghosts. Collective. Bitwise identical on any number of ranks.
  Reading solve(Simulation& simulation, double speed, double tolerance);

 private:
  std::unique_ptr<amr::Poisson> poisson_;
  int regrids_ = -1;  // the simulation's count when the solver was created
};

}  // namespace weft::wave
