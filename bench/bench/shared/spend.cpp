// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shared/spend.hpp"

#include <chrono>
#include <thread>

#include "weft/clock.hpp"

namespace weft::bench {

void spend(double seconds) {
  if constexpr (simulated::here) return simulated::compute(seconds);
  for (const double until = now_seconds() + seconds; now_seconds() < until;) {
  }
}

void spend_asleep(double seconds) {
  if constexpr (simulated::here) return simulated::compute(seconds);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace weft::bench
