// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lattice/observation.hpp"

namespace weft::flow {

/// Which steps end with an output, and which diagnostics each step computes. The same on all ranks. The change of the
/// velocity needs a sixth more memory traffic than a step, so it is computed at most every 16th step.
struct Calendar {
  std::int64_t steps = 0;  ///< number of steps, unless the flow converges earlier
  std::int64_t monitor_every = 1, output_every = 0;
  bool convergence = true;
  bool phased = false;             ///< phased monitors: a checkpoint is possible once in monitor_every steps
  std::int64_t output_now = -1;    ///< a step with an additional output at its end
  std::int64_t picture_every = 0;  ///< 0: only pictures for onlookers

  bool is_output(std::int64_t step) const {
    return step == steps - 1 || step == output_now || (output_every > 0 && (step + 1) % output_every == 0);
  }
  /// The end of a run that is stopped in a step: the next step where a checkpoint can be written, or its regular end.
  std::int64_t stopped_at(std::int64_t step) const {
    auto end = step + 1;
    while (phased && end < steps && end % monitor_every != 1 % monitor_every) ++end;
    return end;
  }
  lattice::Diagnostics diagnostics(std::int64_t step) const {
    const auto change_every = monitor_every * ((15 + monitor_every) / monitor_every);
    if (is_output(step) || (picture_every > 0 && (step + 1) % picture_every == 0)) return lattice::Diagnostics::fields;
    if (convergence && step % change_every == 0) return lattice::Diagnostics::change;
    return step % monitor_every == 0 ? lattice::Diagnostics::totals : lattice::Diagnostics::nothing;
  }
};

}  // namespace weft::flow
