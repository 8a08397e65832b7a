// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct AccuracyOptions : Options {
  std::vector<std::string> axes;     ///< slanted, diagonal, aligned; empty: all; quick slanted
  std::vector<double> reynolds;      ///< empty: 40, 386, 1000; quick 40, 386
  std::vector<int> voxels;           ///< across the tube; empty: 10, 14, 20; quick 10, 14, and 14 at higher Re
  std::vector<std::string> changes;  ///< key=value, set in every case, as weft flow --set
};

/// Runs weft flow with its defaults in round tubes and compares wall shear stress and pressure drop with Poiseuille's
/// solution, and the stress under a pulse with Womersley's. Collective.
void accuracy(mpi::Communicator& world, const AccuracyOptions& options);

}  // namespace weft::bench
