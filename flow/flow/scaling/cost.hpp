// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// Quantities besides the case for estimating its cost and problems. 0: unknown, then estimates that need it are left
/// out.
struct Known {
  double volume = 0;   ///< m^3, volume of the vessel
  double longest = 0;  ///< m, longest edge of the vessel's bounding box
  double memory = 0;   ///< bytes, of all machines of the run
  int ranks = 1;
  double update_seconds = 0;  ///< per site and step, all ranks together
  double other_seconds = 0;   ///< of the run besides its steps: set-up, files
};

/// Estimated cost of a run, from the vessel's volume and this machine's speed.
struct Cost {
  double sites = 0;
  double steps = 0;
  double seconds = 0;  ///< 0: unknown
  double bytes = 0;

  /// "0.3 mm: 2.1 million sites, 40 minutes, 0.5 GB"; without the time if it is unknown.
  std::string text(double voxel) const;
};

/// Cost of the case with the voxel and time step of `scaling`.
Cost cost_of(const Case& c, const Scaling& scaling, const Known& known);
/// Cost of the case with another voxel and the time step chosen for it.
Cost cost_with_voxel(const Case& c, double voxel, const Known& known);
/// Cost of the case with another time step.
Cost cost_with_time_step(const Case& c, double time_step, const Known& known);

/// Whether at least four voxels lie across each opening and the narrowest lumen. A coarser voxel is never advised.
bool resolves(const Case& c, double voxel);

/// Upper bound of the memory per site: populations and links (SparseLattice), and the fields that the run keeps once it
/// writes them.
double estimated_bytes_per_site(const Case& c);

/// The finest voxel, rounded to two digits, with which the vessel takes at most half of the memory. Needs `volume` and
/// `memory`.
double voxel_that_fits(const Case& c, const Known& known);

/// Some timed steps: duration of a step on the slowest rank, s.
struct Probe {
  double seconds = 0;       ///< wall-clock time
  double core_seconds = 0;  ///< CPU time, which is less if other processes share the core
};

/// Durations of a step, s.
struct StepTimes {
  double quick = 0;  ///< if each rank had its core to itself
  double usual = 0;  ///< the median probe
  double slow = 0;   ///< the slowest probe

  /// Fraction of its core that a rank had, 0 to 1.
  double core_share() const { return usual > 0 && quick < usual ? quick / usual : 1; }
};

/// Step times from at least one probe. Pure.
StepTimes step_times_of(std::span<const Probe> probes);

/// The expected run time, s: `low` on an otherwise idle machine, `high` on a machine as busy as during the measurement.
struct RunTime {
  double low = 0, high = 0;
  double usual = 0;  ///< from the median probe

  /// "12 to 20 minutes"; "about 12 minutes" if both are equal in two digits.
  std::string text() const;
};

/// Run time of `steps` such steps and `other_seconds` besides. Without `is_measured` the timed steps lacked messages,
/// monitors and files. Pure.
RunTime run_time_of(const StepTimes& times, double steps, double other_seconds, bool is_measured);

}  // namespace weft::flow
