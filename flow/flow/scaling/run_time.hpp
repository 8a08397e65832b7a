// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace weft::flow {

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
