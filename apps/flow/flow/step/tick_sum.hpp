// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace weft::flow {

/// What a number of the lattice, such as a density's difference from 1, is rounded to before it is summed.
inline constexpr double tick = 0x1p-40;

/// In ticks. Of a flow that breaks the numbers may be anything; that is told elsewhere.
inline std::int64_t ticks_of(double value) {
  constexpr double most = 4;
  return std::llround((std::isnan(value) ? most : std::clamp(value, -most, most)) / tick);
}

/// A sum of integers of 64 bits, in any order and of up to 2^31 of them: halves that are summed by themselves.
struct TickSum {
  std::int64_t high = 0, low = 0;

  static TickSum of(std::int64_t ticks) { return {ticks >> 32, ticks & 0xffffffff}; }
  TickSum operator+(const TickSum& other) const { return {high + other.high, low + other.low}; }
  /// Rounded once, so the same for the same sum.
  double value() const { return static_cast<double>(high) * 0x1p32 + static_cast<double>(low); }
};

}  // namespace weft::flow
