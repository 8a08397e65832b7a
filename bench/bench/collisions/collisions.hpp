// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct CollisionsOptions : Options {
  std::vector<std::string> models;      ///< empty: all
  std::vector<std::string> directions;  ///< of the tubes: slanted, diagonal, aligned; empty: all; quick slanted
  std::vector<double> reynolds;         ///< of the tubes; empty: 40, 400, 1000; quick 400
  int voxels = 14;                      ///< across the tubes; quick at most 10
};

/// Compares collision models of D3Q27 on a slow reference lattice: periodic tubes at an angle to the axes, decaying
/// vortices in a mean flow, a double shear layer. Rank 0 computes. Collective.
void collisions(mpi::Communicator& world, const CollisionsOptions& options);

}  // namespace weft::bench
