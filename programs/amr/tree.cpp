// SPDX-License-Identifier: BSD-3-Clause
#include "amr/tree.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_set>

namespace weft::amr {
namespace {

std::uint64_t packed(const BlockKey& key) {
  std::uint64_t p = 0;
  for (const auto x : key.at) p = p << 21 | static_cast<std::uint64_t>(x);
  return p;
}

std::array<int, 3> extent(const Domain& domain, int level) {
  return {domain.blocks[0] << level, domain.blocks[1] << level, domain.blocks[2] << level};
}

void sort_along(Curve curve, std::vector<Block>& blocks, const std::array<int, 3>& extent) {
  const auto longest = static_cast<unsigned>(*std::max_element(extent.begin(), extent.end()));
  const int bits = std::bit_width(longest - 1);
  std::vector<std::pair<std::uint64_t, std::size_t>> order(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto& at = blocks[b].key.at;
    order[b] = {place_on_curve(curve,
                               {static_cast<std::uint32_t>(at[0]), static_cast<std::uint32_t>(at[1]),
                                static_cast<std::uint32_t>(at[2])},
                               bits),
                b};
  }
  std::sort(order.begin(), order.end());
  std::vector<Block> sorted;
  sorted.reserve(blocks.size());
  for (const auto& [place, b] : order) sorted.push_back(blocks[b]);
  blocks = std::move(sorted);
}

}  // namespace

std::array<double, 3> Domain::corner_of(const BlockKey& key) const {
  std::array<double, 3> corner{};
  for (std::size_t a = 0; a < 3; ++a) corner[a] = low[a] + spacing_of(key.level) * cells * key.at[a];
  return corner;
}

std::optional<BlockKey> wrap(const Domain& domain, BlockKey key) {
  const auto n = extent(domain, key.level);
  for (std::size_t a = 0; a < 3; ++a) {
    auto& x = key.at[a];
    if (x >= 0 && x < n[a]) continue;
    if (!domain.periodic[a]) return {};
    x = (x % n[a] + n[a]) % n[a];
  }
  return key;
}

Tree::Tree(const Domain& domain, std::span<const BlockKey> refined, int ranks, Curve curve,
           const std::function<double(const BlockKey&)>& weight)
    : domain_(domain), curve_(curve), ranks_(ranks) {
  int finest = 0;
  for (const auto& key : refined) finest = std::max(finest, key.level + 1);
  levels_.resize(static_cast<std::size_t>(finest) + 1);
  for (int k = 0; k < domain.blocks[2]; ++k)
    for (int j = 0; j < domain.blocks[1]; ++j)
      for (int i = 0; i < domain.blocks[0]; ++i) levels_[0].push_back({{0, {i, j, k}}, 0});
  for (const auto& key : refined)
    for (int octant = 0; octant < 8; ++octant)
      levels_[static_cast<std::size_t>(key.level) + 1].push_back({key.child(octant), 0});
  index_.resize(levels_.size());
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    auto& blocks = levels_[l];
    sort_along(curve, blocks, extent(domain, static_cast<int>(l)));
    std::vector<double> weights(blocks.size(), 1);
    for (std::size_t b = 0; b < blocks.size() && weight; ++b) weights[b] = weight(blocks[b].key);
    const auto owners = cut_by_weight(weights, ranks);
    index_[l].reserve(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      blocks[b].owner = owners[b];
      index_[l].emplace(packed(blocks[b].key), static_cast<std::uint32_t>(b));
    }
  }
  feeds_.resize(levels_.size());
  for (std::size_t l = 0; l < levels_.size(); ++l)
    for (const auto& block : levels_[l])
      feeds_[l].push_back(l + 1 < levels_.size() && has_refined_neighbour(block.key) ? 1 : 0);
}

std::size_t Tree::blocks() const {
  return std::accumulate(levels_.begin(), levels_.end(), std::size_t{0},
                         [](std::size_t n, const auto& l) { return n + l.size(); });
}

std::optional<std::size_t> Tree::find(const BlockKey& key) const {
  if (key.level < 0 || key.level >= levels()) return {};
  const auto& map = index_[static_cast<std::size_t>(key.level)];
  const auto found = map.find(packed(key));
  if (found == map.end()) return {};
  return found->second;
}

Neighbour Tree::neighbour(const BlockKey& key, const Direction& direction) const {
  auto beside = key;
  for (std::size_t a = 0; a < 3; ++a) beside.at[a] += direction.d[a];
  const auto wrapped = wrap(domain_, beside);
  if (!wrapped) return {};
  const auto index = find(*wrapped);
  if (!index) return {Neighbour::Kind::coarser, 0, *wrapped};
  return {Neighbour::Kind::block, *index, *wrapped};
}

bool Tree::has_refined_neighbour(const BlockKey& key) const {
  if (is_refined(key)) return false;
  for (int d = 0; d < Direction::count; ++d) {
    const auto beside = neighbour(key, Direction::of(d));
    if (beside.kind == Neighbour::Kind::block && is_refined(beside.key)) return true;
  }
  return false;
}

bool Tree::feeds_finer(const BlockKey& key) const {
  return feeds_[static_cast<std::size_t>(key.level)][*find(key)] != 0;
}

std::vector<BlockKey> Tree::refined() const {
  std::vector<BlockKey> keys;
  for (std::size_t l = 1; l < levels_.size(); ++l)
    for (const auto& block : levels_[l]) {
      if (block.key.octant() == 0) keys.push_back(block.key.parent());
    }
  return keys;
}

bool Tree::same_blocks(const Tree& other) const {
  if (levels() != other.levels() || !(domain_ == other.domain_)) return false;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    if (levels_[l].size() != other.levels_[l].size()) return false;
    for (std::size_t b = 0; b < levels_[l].size(); ++b) {
      if (!(levels_[l][b].key == other.levels_[l][b].key)) return false;
    }
  }
  return true;
}

std::vector<std::vector<std::size_t>> Tree::blocks_by_rank() const {
  std::vector<std::vector<std::size_t>> counts(levels_.size(),
                                               std::vector<std::size_t>(static_cast<std::size_t>(ranks_)));
  for (std::size_t l = 0; l < levels_.size(); ++l)
    for (const auto& block : levels_[l]) ++counts[l][static_cast<std::size_t>(block.owner)];
  return counts;
}

std::vector<BlockKey> nest(const Domain& domain, std::span<const BlockKey> wanted) {
  int finest = -1;
  for (const auto& key : wanted) finest = std::max(finest, key.level);
  std::vector<std::vector<BlockKey>> levels(static_cast<std::size_t>(finest + 1));
  std::vector<std::unordered_set<std::uint64_t>> seen(levels.size());
  const auto add = [&](const BlockKey& key) {
    const auto l = static_cast<std::size_t>(key.level);
    if (seen[l].insert(packed(key)).second) levels[l].push_back(key);
  };
  for (const auto& key : wanted) add(key);
  for (std::size_t l = levels.size(); l-- > 1;)
    for (const auto& key : levels[l])
      for (int d = 0; d < Direction::count; ++d) {
        auto beside = key;
        for (std::size_t a = 0; a < 3; ++a) beside.at[a] += Direction::of(d).d[a];
        if (const auto wrapped = wrap(domain, beside)) add(wrapped->parent());
      }
  std::vector<BlockKey> all;
  for (const auto& level : levels) all.insert(all.end(), level.begin(), level.end());
  return all;
}

}  // namespace weft::amr
