// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "geometry/domain.hpp"
#include "weft/transport/transport.hpp"

namespace weft::insitu {

/// A block's position among the blocks of the grid.
using BlockPosition = std::array<std::int32_t, 3>;

inline BlockPosition block_of(const geometry::Position& p) {
  return {p[0] / geometry::block_width, p[1] / geometry::block_width, p[2] / geometry::block_width};
}

/// One block with fluid: its owner and its fluid sites.
struct Block {
  std::int64_t id = -1;
  int owner = -1;
  std::array<std::uint64_t, 8> fluid{};  ///< bit 8 y + x of word z

  bool is_fluid(int x, int y, int z) const { return (fluid[static_cast<std::size_t>(z)] >> (8 * y + x) & 1) != 0; }
};

/// This rank's blocks and the up to 26 around each, with their owners. No rank stores more than that.
class BlockDirectory {
 public:
  /// Collective.
  BlockDirectory(Transport& transport, const geometry::Domain& domain);

  /// This rank's blocks, in the order in which they appear in Domain::sites.
  const std::vector<BlockPosition>& own() const { return own_; }
  /// Null if the block has no fluid, or is too far from this rank's blocks.
  const Block* find(const BlockPosition& b) const;

 private:
  std::int64_t id_of(const BlockPosition& b) const;

  std::array<std::int32_t, 3> blocks_;
  std::vector<BlockPosition> own_;
  std::unordered_map<std::int64_t, Block> known_;
};

}  // namespace weft::insitu
