// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace weft::flow {

/// Some steps that were tried: of a step of the slowest rank, seconds.
struct Probe {
  double seconds = 0;       ///< of the clock
  double core_seconds = 0;  ///< of the processor, which is less where others use it, too
};

/// What a step takes, seconds.
struct StepTimes {
  double quick = 0;  ///< if the ranks had their cores to themselves
  double usual = 0;  ///< the middle one of the probes
  double slow = 0;   ///< the slowest of them

  /// Of its core that a rank had, 0 to 1.
  double core_share() const { return usual > 0 && quick < usual ? quick / usual : 1; }
};

/// At least one probe. Pure.
StepTimes step_times_of(std::span<const Probe> probes);

/// What a run is thought to take, seconds: on a machine that nobody else uses, and on one as busy as it was while this
/// was measured.
struct RunTime {
  double low = 0, high = 0;
  double usual = 0;  ///< as the middle one of the probes

  /// "12 to 20 minutes"; "about 12 minutes" where both are the same in two digits.
  std::string text() const;
};

/// `steps` like these, and `other_seconds` beside them. Steps that were not measured as the run does them lack
/// messages, monitors and files. Pure.
RunTime run_time_of(const StepTimes& times, double steps, double other_seconds, bool is_measured);

}  // namespace weft::flow
