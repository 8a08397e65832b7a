// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "geometry/vector.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

/// A round tube (radius 1 mm) of weft flow's default blood, a velocity with the profile of developed flow at its inlet
/// and a pressure at its outlet.
struct TubeRun {
  geometry::Vector axis{1, 2, 4};
  double reynolds = 40;  ///< of the mean velocity and the diameter; of a pulse the mean's
  int voxels = 14;       ///< across
  std::vector<std::string> changes{};
};

/// Against the exact solution, as parts of it. Not-a-number where the flow became unstable.
struct SteadyErrors {
  double stress_mean = 0;  ///< of the mean wall shear stress over the sites of the tube's middle, signed
  double stress_rms = 0;   ///< of each site
  double drop = 0;         ///< of the pressure drop between two sections, signed
};
/// The tube is 16 radii long; sections are at 8 and 13. Collective.
SteadyErrors run_steady(mpi::Communicator& world, const TubeRun& tube);

/// Of the first harmonic of the mean wall shear stress, against Womersley's solution of the flow through the middle.
struct PulseErrors {
  double amplitude = 0;  ///< signed
  double degrees = 0;    ///< that it is late
};
/// Three beats of a mean velocity that goes to and fro by 80 % of its mean. Collective.
PulseErrors run_pulse(mpi::Communicator& world, const TubeRun& tube, double womersley);

}  // namespace weft::bench
