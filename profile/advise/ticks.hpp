// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "weft/clock.hpp"

namespace weft::advise {

/// The processor's time-stamp counter, where there is one: it takes half the time of the system's clock, and it is read
/// twice per call.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t now;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Converts ticks to seconds of the common clock, from two moments at which both clocks were read.
class TickScale {
 public:
  struct Moment {
    std::uint64_t ticks = 0;
    double seconds = 0;
    static Moment now() { return {advise::ticks(), now_seconds()}; }
  };
  TickScale() = default;
  /// `offset_seconds` is added: the common clock minus this machine's.
  TickScale(const Moment& first, const Moment& last, double offset_seconds)
      : first_(first),
        seconds_per_tick_(last.ticks > first.ticks
                              ? (last.seconds - first.seconds) / static_cast<double>(last.ticks - first.ticks)
                              : 0),
        offset_(offset_seconds) {}

  double seconds(std::uint64_t at) const {
    return first_.seconds + offset_ +
           seconds_per_tick_ * static_cast<double>(static_cast<std::int64_t>(at - first_.ticks));
  }

 private:
  Moment first_;
  double seconds_per_tick_ = 1e-9, offset_ = 0;
};

}  // namespace weft::advise
