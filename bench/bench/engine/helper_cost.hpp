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
  Spread slowdown;  ///< time of the computation / its time while nothing is in flight; 1: no cost
};

/// The cost of waiting progress threads for a computation: each rank sweeps over blocks of waves while a receive is
/// outstanding whose message is only sent afterwards, and without any message. Collective.
std::vector<HelperCost> helper_costs(Transport& transport, const std::vector<ProgressOptions>& helpers, double seconds);

}  // namespace weft::bench
