// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "geometry/vector.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

/// A round tube (radius 1 mm) with weft flow's default blood, the profile of developed flow at its inlet and a pressure
/// at its outlet.
struct TubeRun {
  geometry::Vector axis{1, 2, 4};
  double reynolds = 40;  ///< with the mean velocity (of a pulse: its mean) and the diameter
  int voxels = 14;       ///< across
  std::vector<std::string> changes{};
};

/// Errors relative to the exact solution. Not a number if the flow became unstable.
struct SteadyErrors {
  double stress_mean = 0;  ///< of the mean wall shear stress over the sites of the tube's middle, signed
  double stress_rms = 0;   ///< of each site
  double drop = 0;         ///< of the pressure drop between two sections, signed
};
/// The tube is 16 radii long; the sections are at 8 and 13 radii. Collective.
SteadyErrors run_steady(mpi::Communicator& world, const TubeRun& tube);

/// Errors of the first harmonic of the mean wall shear stress, against Womersley's solution for the flow through the
/// middle.
struct PulseErrors {
  double amplitude = 0;  ///< signed
  double degrees = 0;    ///< phase lag
};
/// Three beats of a mean velocity that oscillates by 80 % of its mean. Collective.
PulseErrors run_pulse(mpi::Communicator& world, const TubeRun& tube, double womersley);

}  // namespace weft::bench
