// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <thread>

#include "weft/clock.hpp"
#include "weft/simulated.hpp"

namespace weft::bench {

/// Computes for so long: in a loop on a real machine, in simulated time on a simulated one.
inline void spend(double seconds) {
  if constexpr (simulated::here) return simulated::compute(seconds);
  for (const double until = now_seconds() + seconds; now_seconds() < until;) {
  }
}

/// Sleeps for about so long and leaves the core to other ranks; replaces computing if there are more ranks than cores.
inline void spend_asleep(double seconds) {
  if constexpr (simulated::here) return simulated::compute(seconds);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// Arithmetic of about a microsecond on numbers that stay in the cache. Each number depends on the previous one: only
/// the core's latency counts, which varies least, also if another thread shares the core's units.
class BusyLoop {
 public:
  [[gnu::noinline]] void unit() {
    if constexpr (simulated::here) return simulated::compute(1e-6);
    for (auto& x : values_) x = last_ = 0.5 * x + 0.5 * last_;
  }

 private:
  std::array<double, 256> values_{};
  // Carried from one unit to the next. Otherwise the core would run two units at once, except when a clock is read
  // between them, and polling would seem to slow the computation down.
  double last_ = 1;
};

}  // namespace weft::bench
