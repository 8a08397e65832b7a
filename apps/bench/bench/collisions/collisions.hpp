// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct CollisionsOptions : Options {
  std::vector<std::string> models;      ///< none: all
  std::vector<std::string> directions;  ///< of the tubes: slanted, diagonal, aligned; none: all; quick slanted
  std::vector<double> reynolds;         ///< of the tubes; none: 40, 400, 1000; quick 400
  int voxels = 14;                      ///< across the tubes; quick at most 10
};

/// Compares D3Q27's collisions on a slow reference lattice: periodic tubes at an angle to the axes, vortices that
/// decay while they are carried along, a double shear layer. Rank 0 computes. Collective.
void collisions(mpi::Communicator& world, const CollisionsOptions& options);

}  // namespace weft::bench
