// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::testing {

// A range of consecutive ranks. Joining two ranges is associative, but not commutative.
struct Range {
  std::int32_t first, last;
};
constexpr auto joined = [](const Range& a, const Range& b) {
  return a.last + 1 == b.first ? Range{a.first, b.last} : Range{-1000, -1000};
};
constexpr auto added = [](const Range& a, const Range& b) {
  return Range{a.first + b.first, std::max(a.last, b.last)};
};

}  // namespace weft::testing
