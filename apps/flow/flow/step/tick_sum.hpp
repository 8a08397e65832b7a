// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weft::flow {

/// A sum of integers of 64 bits, in any order and of up to 2^31 of them: halves that are summed by themselves.
struct TickSum {
  std::int64_t high = 0, low = 0;

  static TickSum of(std::int64_t ticks) { return {ticks >> 32, ticks & 0xffffffff}; }
  TickSum operator+(const TickSum& other) const { return {high + other.high, low + other.low}; }
  /// Rounded once, so the same for the same sum.
  double value() const { return static_cast<double>(high) * 0x1p32 + static_cast<double>(low); }
};

}  // namespace weft::flow
