// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/block_directory.hpp"

#include <algorithm>

#include "weft/transport/collectives.hpp"

namespace weft::insitu {
namespace {

std::vector<std::vector<std::int64_t>> lists(int size) {
  return std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(size));
}

}  // namespace

std::int64_t BlockDirectory::id_of(const BlockPosition& b) const {
  for (std::size_t a = 0; a < 3; ++a)
    if (b[a] < 0 || b[a] >= blocks_[a]) return -1;
  return (std::int64_t{b[2]} * blocks_[1] + b[1]) * blocks_[0] + b[0];
}

// Block number n is registered at rank n modulo the number of ranks, so no rank has to store all blocks.
BlockDirectory::BlockDirectory(Transport& transport, const geometry::Domain& domain) : blocks_(domain.grid.blocks()) {
  const auto directory_rank = [&](std::int64_t id) { return static_cast<std::size_t>(id % transport.size()); };
  for (const auto& site : domain.sites) {
    const auto b = block_of(site);
    if (own_.empty() || own_.back() != b) own_.push_back(b);
    const auto id = id_of(b);
    auto& block = known_[id];
    block.id = id;
    block.owner = transport.rank();
    block.fluid[static_cast<std::size_t>(site[2] % 8)] |= std::uint64_t{1} << (8 * (site[1] % 8) + site[0] % 8);
  }
  std::vector<std::vector<Block>> entries(static_cast<std::size_t>(transport.size()));
  auto questions = lists(transport.size());
  for (const auto& b : own_) {
    entries[directory_rank(id_of(b))].push_back(known_.at(id_of(b)));
    for (int link = 0; link < 27; ++link) {
      const auto d = geometry::link_offset(link);
      const auto id = id_of({b[0] + d[0], b[1] + d[1], b[2] + d[2]});
      if (id >= 0 && !known_.contains(id)) questions[directory_rank(id)].push_back(id);
    }
  }
  for (auto& list : questions) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  std::unordered_map<std::int64_t, Block> listed;
  for (const auto& list : all_to_all(transport, entries))
    for (const auto& block : list) listed[block.id] = block;
  std::vector<std::vector<Block>> answers(static_cast<std::size_t>(transport.size()));
  const auto asked = all_to_all(transport, questions);
  for (std::size_t r = 0; r < asked.size(); ++r)
    for (const auto id : asked[r])
      if (const auto found = listed.find(id); found != listed.end()) answers[r].push_back(found->second);
  for (const auto& list : all_to_all(transport, answers))
    for (const auto& block : list) known_[block.id] = block;
}

const Block* BlockDirectory::find(const BlockPosition& b) const {
  const auto found = known_.find(id_of(b));
  return found == known_.end() ? nullptr : &found->second;
}

}  // namespace weft::insitu
