// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/detail/block_links.hpp"
#include "geometry/detail/share.hpp"
#include "geometry/domain.hpp"

namespace weft::geometry::detail {

// A share stores its sites line by line, but the vessel is divided and stored block by block. BlockScan converts from
// one order to the other without a list of sites or sorting: a tile is a whole number of blocks wide, so all sites of a
// block are in one share, in at most 64 of its lines.

/// The sites that exist in a block. Bit x + 8 y + 64 z: ascending bits are ascending site_ids.
using BlockMask = std::array<std::uint64_t, block_sites / 64>;

/// The position of a site within its block, from its bit.
constexpr std::array<int, 3> place_in_block(unsigned bit) {
  const auto b = static_cast<int>(bit);
  return {b % block_width, b / block_width % block_width, b / (block_width * block_width)};
}

/// Calls f(bit) for each bit that is set, ascending.
template <class F>
void each_bit(const BlockMask& mask, F&& f) {
  for (unsigned word = 0; word < mask.size(); ++word)
    for (auto bits = mask[word]; bits != 0; bits &= bits - 1)
      f(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
}

constexpr std::size_t cuts_of(std::uint32_t fluid) { return static_cast<std::size_t>(26 - std::popcount(fluid)); }

/// Iterates over the blocks with kept sites of a share, tile by tile, column by column, upwards. Memory: the pieces of
/// runs in one column of blocks.
class BlockScan {
 public:
  BlockScan(const Share& share, const std::vector<std::uint8_t>& keep, const Tiling& tiling, const Grid& grid)
      : share_(share), keep_(keep), tiling_(tiling), grid_(grid) {}

  /// Advances to the first or next block; false at the end.
  bool next();

  // The current block.
  std::int64_t id() const { return id_; }
  std::uint32_t sites() const { return sites_; }
  std::uint32_t cuts() const { return cuts_; }
  const BlockMask& mask() const { return mask_; }
  std::uint32_t fluid(unsigned bit) const { return share_.fluid[site_[bit]]; }
  /// The first cut of a site; cuts_of(fluid) is their number.
  const Cut* cut(unsigned bit) const { return share_.cuts.data() + first_cut_[bit]; }

 private:
  // Sites of a run that are in one block.
  struct Piece {
    std::int32_t block;  // its z
    std::uint32_t site, count;
    unsigned bit;  // of the first
    std::size_t first_cut;
  };
  bool next_column();
  void cut_up_line(std::uint32_t first_run, std::uint32_t last_run, unsigned bit);
  void add(const Piece& piece);

  const Share& share_;
  const std::vector<std::uint8_t>& keep_;
  const Tiling& tiling_;
  const Grid& grid_;
  std::size_t tile_ = 0;        // of the next column
  std::int32_t x_ = 0, y_ = 0;  // of the next column, within its tile
  Position column_{};           // the lowest site of this column
  std::vector<Piece> pieces_;   // of this column, by block
  std::size_t piece_ = 0;       // the first of the next block

  std::int64_t id_ = 0;
  std::uint32_t sites_ = 0, cuts_ = 0;
  BlockMask mask_{};
  std::array<std::uint32_t, block_sites> site_{};  // index in the share; only for bits set in the mask
  std::array<std::size_t, block_sites> first_cut_{};
};

/// The non-empty blocks as a graph: the number of sites of each block, and the number of links between two blocks.
struct BlockGraph {
  struct Block {
    std::int64_t id;
    std::int64_t sites;
    std::int64_t cuts = 0;
  };
  struct Edge {
    std::int64_t a, b;  ///< ids, a < b
    std::int64_t links;
  };
  std::vector<Block> blocks;  ///< ascending by id
  std::vector<Edge> edges;    ///< ascending by (a, b)
};

/// The blocks of one rank's kept runs. Their edges may lead to blocks of other ranks; an edge may appear at both ends.
BlockGraph block_graph(BlockScan scan, const Grid& grid);

/// Sorts the edges and adds up those that occur several times.
void normalise(BlockGraph& graph);

/// A part for each block, balanced by sites, with few cut links; every part gets a block. METIS divides. With few
/// blocks per part METIS leaves parts empty; then the blocks are cut into slices in the order of their ids. Needs at
/// least as many blocks as parts. Deterministic.
std::vector<int> divide(const BlockGraph& graph, int parts);

}  // namespace weft::geometry::detail
