// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace weft::flow {

/// The unit to which numbers of the lattice, such as density - 1, are rounded before summation.
inline constexpr double tick = 0x1p-40;

/// A number in ticks, limited, since numbers of an unstable flow may be anything; the monitors report those.
inline std::int64_t ticks_of(double value) {
  constexpr double most = 4;
  return std::llround((std::isnan(value) ? most : std::clamp(value, -most, most)) / tick);
}

/// A sum of up to 2^31 64-bit integers in any order: upper and lower halves are summed separately.
struct TickSum {
  std::int64_t high = 0, low = 0;

  static TickSum of(std::int64_t ticks) { return {ticks >> 32, ticks & 0xffffffff}; }
  TickSum operator+(const TickSum& other) const { return {high + other.high, low + other.low}; }
  /// Rounded once, so equal for equal sums.
  double value() const { return static_cast<double>(high) * 0x1p32 + static_cast<double>(low); }
};

}  // namespace weft::flow
