// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/shared/statistics.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

struct HelperCost {
  std::string name;
  Spread slowdown;  ///< time of the computation over its time while nothing is in flight; 1: costs nothing
};

/// What a computation on all ranks pays for helpers that wait: each rank sweeps over blocks of waves while a message,
/// which leaves its peer only afterwards, is outstanding; beside the same sweeps without one. Collective.
std::vector<HelperCost> helper_costs(Transport& transport, const std::vector<ProgressOptions>& helpers, double seconds);

}  // namespace weft::bench
