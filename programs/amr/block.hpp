// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// The key of a block: its level and its position among the blocks of that level, counted from the domain's low corner.
/// The children of (l, i, j, k) are the eight (l + 1, 2i + {0,1}, 2j + {0,1}, 2k + {0,1}).
struct BlockKey {
  std::int32_t level = 0;
  std::array<std::int32_t, 3> at{};  ///< x, y, z

  BlockKey parent() const { return {level - 1, {at[0] >> 1, at[1] >> 1, at[2] >> 1}}; }
  /// The number of this child of its parent, 0 to 7. Bit 0 is x, bit 1 y, bit 2 z.
  int octant() const { return (at[0] & 1) | (at[1] & 1) << 1 | (at[2] & 1) << 2; }
  BlockKey child(int octant) const {
    return {level + 1, {2 * at[0] + (octant & 1), 2 * at[1] + (octant >> 1 & 1), 2 * at[2] + (octant >> 2 & 1)}};
  }
  friend bool operator==(const BlockKey&, const BlockKey&) = default;
};

/// A block as every rank stores it: 20 bytes.
struct Block {
  BlockKey key;
  std::int32_t owner = 0;  ///< the rank that owns its cells
};

/// A neighbour's direction: -1, 0 or 1 along each axis. Numbered 0 to 26, x fastest; 13 is the block itself.
struct Direction {
  std::array<int, 3> d{};

  static constexpr int count = 27, self = 13;
  static constexpr Direction of(int number) { return {{number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1}}; }
  constexpr int number() const { return (d[0] + 1) + 3 * (d[1] + 1) + 9 * (d[2] + 1); }
  constexpr Direction opposite() const { return {{-d[0], -d[1], -d[2]}}; }
  /// The number of axes along which it is not 0: 1 a face, 2 an edge, 3 a corner.
  constexpr int order() const { return (d[0] != 0) + (d[1] != 0) + (d[2] != 0); }
};

/// The cells [first, first + count) of a block; cell 0 is its first inner one, ghost cells have negative indices.
struct CellBox {
  std::array<int, 3> first{}, count{};

  int cells() const { return count[0] * count[1] * count[2]; }
};

}  // namespace amr
}  // namespace weft
