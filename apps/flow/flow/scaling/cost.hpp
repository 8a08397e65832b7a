// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// What is known beside the case when it is judged. What is 0 is not known, and nothing is said of it.
struct Known {
  double volume = 0;   ///< m^3, of the vessel
  double longest = 0;  ///< m, its longest axis
  double memory = 0;   ///< bytes, of all machines that it runs on
  int ranks = 1;
  double update_seconds = 0;  ///< that a site takes in a step, over all ranks
  double other_seconds = 0;   ///< that the run takes beside its steps: set-up, files
};

/// What a run would take, from the vessel's volume and from this machine's speed.
struct Cost {
  double sites = 0;
  double steps = 0;
  double seconds = 0;  ///< 0: unknown
  double bytes = 0;

  /// "0.3 mm: 2.1 million sites, 40 minutes, 0.5 GB"; the time left out where it is unknown.
  std::string text(double voxel) const;
};

/// Of the case with its voxel and time step as they are in `scaling`.
Cost cost_of(const Case& c, const Scaling& scaling, const Known& known);
/// Of the case with another voxel, with the time step that follows from it.
Cost cost_with_voxel(const Case& c, double voxel, const Known& known);
/// Of the case with another time step.
Cost cost_with_time_step(const Case& c, double time_step, const Known& known);

/// Whether a voxel leaves at least four of them across each opening and the narrowest lumen: no coarser one is advised.
bool resolves(const Case& c, double voxel);

/// Memory of a site on the case's lattice, at most: its populations and a quarter more (SparseLattice), and the fields
/// that the run keeps once it writes them.
double estimated_bytes_per_site(const Case& c);

/// The finest voxel, of two digits, with which the vessel takes no more than half of the memory. Both are known.
double voxel_that_fits(const Case& c, const Known& known);

}  // namespace weft::flow
