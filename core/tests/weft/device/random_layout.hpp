// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "tests/support/core_random.hpp"
#include "weft/device/device.hpp"
#include "weft/transport/region.hpp"

namespace weft::testing {

using Bytes = std::vector<std::byte>;

inline Bytes random_bytes(std::size_t n, Random& random) {
  Bytes bytes(n);
  for (auto& b : bytes) b = static_cast<std::byte>(random.next());
  return bytes;
}

inline std::size_t random_element(Random& random) {
  constexpr std::size_t sizes[] = {1, 2, 4, 6, 8, 12, 16, 24, 32, 40};
  return sizes[random.below(std::size(sizes))];
}

/// A layout of any kind in an array of `extent` bytes.
struct RandomLayout {
  std::size_t element, extent;
  std::vector<Loop> loops;  // outermost first
  std::vector<std::size_t> offsets;
  bool innermost;

  Region at(std::byte* base) const { return make_strided(base, element, loops, true, offsets, innermost); }
};

inline RandomLayout random_layout(Random& random, std::size_t element, int most_loops) {
  RandomLayout layout{element, element * (1 + random.size_below(9)), {}, {}, random.chance(2)};
  layout.loops.push_back({layout.extent / element, element});
  const bool has_offsets = random.chance(2);
  const auto list = [&] {
    for (std::size_t k = 0, n = 1 + random.size_below(40); k < n; ++k)
      layout.offsets.push_back((2 * k + (random.chance(4) ? 1 : 0)) * layout.extent);
    random.shuffle(layout.offsets);
    layout.extent *= 2 * layout.offsets.size() + 2;
  };
  if (has_offsets && layout.innermost) {
    layout.loops.clear();
    layout.extent = element;
    list();
  }
  for (int d = random.below(most_loops); d > 0; --d) {
    const auto gap = random.chance(2) ? 0 : random.size_below(4) * (random.chance(2) ? element : 2 * layout.extent);
    const Loop loop{1 + random.size_below(most_loops > 6 ? 3 : 7), layout.extent + gap};
    layout.loops.insert(layout.loops.begin(), loop);
    layout.extent = loop.count * loop.stride_bytes;
  }
  if (has_offsets && !layout.innermost) list();
  return layout;
}

/// Cuts all packed bytes into ranges, often at multiples of a large unit.
inline std::vector<device::Range> random_ranges(Random& random, std::size_t bytes, std::size_t multiple_of) {
  std::vector<device::Range> ranges;
  for (std::size_t at = 0; at < bytes;) {
    auto n = random.chance(3) ? bytes - at : std::min(bytes - at, 1 + random.size_below(bytes));
    n = std::min(bytes - at, (n + multiple_of - 1) / multiple_of * multiple_of);
    ranges.push_back({at, n});
    at += n;
  }
  return ranges;
}

}  // namespace weft::testing
