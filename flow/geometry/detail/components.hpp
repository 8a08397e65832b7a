// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "geometry/detail/share.hpp"
#include "weft/transport/transport.hpp"

namespace weft::geometry::detail {

/// Disjoint sets of numbers, each represented by its smallest member.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// Per run, over all ranks, whether it is connected to a site at an opening (1) or not (0). Collective. Each rank joins
/// its own runs; links to runs of other ranks are sent to these ranks, pairs of labels go to rank 0, which returns the
/// result. Messages: two all-to-alls and two gathers. Bytes: at most one entry per site at a tile's edge.
std::vector<std::uint8_t> connected_to_openings(Transport& transport, const Share& share, const Tiling& tiling,
                                                const Grid& grid);

}  // namespace weft::geometry::detail
