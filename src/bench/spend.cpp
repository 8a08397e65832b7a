// SPDX-License-Identifier: BSD-3-Clause
#include "bench/spend.hpp"

#include "weft/clock.hpp"

namespace weft::bench {

void spend(double seconds) {
  if constexpr (simulated::here) return simulated::compute(seconds);
  for (const double until = now_seconds() + seconds; now_seconds() < until;) {
  }
}

}  // namespace weft::bench
