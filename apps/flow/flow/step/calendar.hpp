// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lattice/observation.hpp"

namespace weft::flow {

/// Which steps end with an output, and what each gathers. The same on all ranks. The change of the velocity moves
/// a sixth more memory than a step, so it is asked for every 16th step at most.
struct Calendar {
  std::int64_t steps = 0;  ///< so many are run, unless the flow converges
  std::int64_t monitor_every = 1, output_every = 0;
  bool convergence = true;
  bool phased = false;             ///< the monitors: a checkpoint can be in one of monitor_every steps
  std::int64_t output_now = -1;    ///< a step that ends with an output besides
  std::int64_t picture_every = 0;  ///< 0: none but who looks on wants some

  bool is_output(std::int64_t step) const {
    return step == steps - 1 || step == output_now || (output_every > 0 && (step + 1) % output_every == 0);
  }
  /// Where a run ends that is stopped in a step: where a checkpoint can be written, or at its own end.
  std::int64_t stopped_at(std::int64_t step) const {
    auto end = step + 1;
    while (phased && end < steps && end % monitor_every != 1 % monitor_every) ++end;
    return end;
  }
  lattice::Look look(std::int64_t step) const {
    const auto change_every = monitor_every * ((15 + monitor_every) / monitor_every);
    if (is_output(step) || (picture_every > 0 && (step + 1) % picture_every == 0)) return lattice::Look::fields;
    if (convergence && step % change_every == 0) return lattice::Look::change;
    return step % monitor_every == 0 ? lattice::Look::totals : lattice::Look::nothing;
  }
};

}  // namespace weft::flow
