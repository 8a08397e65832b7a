// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "amr/block.hpp"
#include "amr/curve.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// The box that level 0 fills: blocks of cells^3 cubic cells.
struct Domain {
  std::array<int, 3> blocks{1, 1, 1};  ///< of level 0 along each axis
  std::array<bool, 3> periodic{};
  int cells = 16;               ///< of a block along each axis: 8, 16 or 32
  std::array<double, 3> low{};  ///< the corner
  double spacing = 1;           ///< of the cells of level 0

  double spacing_of(int level) const { return spacing / static_cast<double>(1 << level); }
  double size(std::size_t axis) const { return spacing * cells * blocks[axis]; }
  /// The block's low corner.
  std::array<double, 3> corner_of(const BlockKey& key) const;
  friend bool operator==(const Domain&, const Domain&) = default;
};

/// The neighbour of a block in some direction, on its own level.
struct Neighbour {
  enum class Kind : std::uint8_t {
    block,    ///< another block of the level (or the block itself, across a periodic domain)
    coarser,  ///< inside the domain, but only the coarser level covers it
    outside,  ///< beyond the domain
  };
  Kind kind = Kind::outside;
  std::size_t index = 0;  ///< block: in the level's list
  BlockKey key{};         ///< block, coarser: wrapped into the domain
};

/// All blocks of all levels with their owners, the same on every rank (20 bytes per block; only the owner has the
/// cells).
///
/// A refined block has all eight children and keeps its own cells beneath them (Berger and Oliger, J. Comput. Phys. 53,
/// 1984). Levels are properly nested: the 26 neighbours of every refined block exist on its level. So a block of level
/// l + 1 is always next to level l or finer, also across edges and corners (2:1 balance), for two coarse ghost layers
/// and more. The blocks of a level are ordered along a space-filling curve, and each level is distributed over the
/// ranks separately, so that the steps of every level are balanced. Immutable; all members are pure.
class Tree {
 public:
  /// The limits of a block's number.
  static constexpr int finest_level = 20;
  static constexpr std::int64_t most_along = std::int64_t{1} << 21;

  /// `refined`: the blocks with children, in any order, on any levels; `nest` has made them nested. `weight`: of a
  /// block in the distribution; none: all equal.
  Tree(const Domain& domain, std::span<const BlockKey> refined, int ranks, Curve curve = Curve::hilbert,
       const std::function<double(const BlockKey&)>& weight = {});

  const Domain& domain() const { return domain_; }
  Curve curve() const { return curve_; }
  int ranks() const { return ranks_; }
  int levels() const { return static_cast<int>(levels_.size()); }
  /// The level's blocks in the order of the curve. Levels are never empty.
  std::span<const Block> level(int level) const { return levels_[static_cast<std::size_t>(level)]; }
  std::size_t blocks() const;
  /// The index in the level's list, if there is such a block.
  std::optional<std::size_t> find(const BlockKey& key) const;
  const Block& block(int level, std::size_t index) const { return levels_[static_cast<std::size_t>(level)][index]; }
  bool is_refined(const BlockKey& key) const { return find(key.child(0)).has_value(); }
  Neighbour neighbour(const BlockKey& key, const Direction& direction) const;
  /// Whether a finer block's ghosts are interpolated from this block's cells and ghosts: it has no children, but a
  /// neighbour has. The block must exist.
  bool feeds_finer(const BlockKey& key) const;

  /// All refined blocks, coarse levels first.
  std::vector<BlockKey> refined() const;
  /// The same blocks (owners aside).
  bool same_blocks(const Tree& other) const;

  /// The blocks that a rank owns, per level and rank.
  std::vector<std::vector<std::size_t>> blocks_by_rank() const;

 private:
  bool has_refined_neighbour(const BlockKey& key) const;

  Domain domain_;
  Curve curve_;
  int ranks_;
  std::vector<std::vector<Block>> levels_;
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> index_;
  std::vector<std::vector<char>> feeds_;
};

/// The key with its position wrapped along periodic axes; none if it is outside of the domain.
std::optional<BlockKey> wrap(const Domain& domain, BlockKey key);

/// The blocks that must be refined so that all `wanted` blocks may be: the wanted ones, and on each coarser level the
/// parents of these and of all their neighbours. Without duplicates, coarse levels first.
std::vector<BlockKey> nest(const Domain& domain, std::span<const BlockKey> wanted);

}  // namespace amr
}  // namespace weft
