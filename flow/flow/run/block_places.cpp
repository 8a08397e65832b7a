// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/block_places.hpp"

#include <algorithm>
#include <utility>

#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

struct Count {
  std::int64_t blocks = 0, sites = 0, openings = 0, walls = 0;  // in a request, `blocks` is the block's id

  Count operator+(const Count& o) const {
    return {blocks + o.blocks, sites + o.sites, openings + o.openings, walls + o.walls};
  }
};

std::vector<BlockPlace> blocks_of(const geometry::Domain& domain, const std::function<bool(std::size_t)>& at_opening,
                                  std::span<const WallSite> walls) {
  std::vector<BlockPlace> blocks;
  auto wall = walls.begin();
  for (std::size_t s = 0; s < domain.sites.size(); ++s) {
    const auto id = domain.grid.block_id(domain.sites[s]);
    if (blocks.empty() || blocks.back().id != id) blocks.push_back({.id = id, .first = s});
    ++blocks.back().sites;
    if (at_opening(s)) ++blocks.back().openings;
    if (wall != walls.end() && wall->site == s) {
      ++blocks.back().walls;
      ++wall;
    }
  }
  return blocks;
}

// Replaces each request by its answer: the counts before that block. Sets `all` to the totals.
void answer(Transport& transport, std::vector<std::vector<Count>>& asked, Count& all) {
  struct Entry {
    std::int64_t id;
    Count* count;
  };
  std::vector<Entry> order;
  for (auto& of_rank : asked)
    for (auto& count : of_rank) order.push_back({count.blocks, &count});
  std::sort(order.begin(), order.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  Count mine;
  for (auto& [id, count] : order) {
    const Count own{1, count->sites, count->openings, count->walls};
    *count = mine;
    mine = mine + own;
  }
  Count before;
  const auto counts = all_gather(transport, mine);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r == static_cast<std::size_t>(transport.rank())) before = all;
    all = all + counts[r];
  }
  for (auto& entry : order) *entry.count = *entry.count + before;
}

// The finalizer of splitmix64: decorrelates neighbouring numbers.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
  x = (x ^ x >> 27) * 0x94D049BB133111EBU;
  return x ^ x >> 31;
}

}  // namespace

BlockPlaces place_blocks(Transport& transport, const geometry::Domain& domain,
                         const std::function<bool(std::size_t)>& at_opening, std::span<const WallSite> walls) {
  BlockPlaces places;
  places.mine = blocks_of(domain, at_opening, walls);
  const auto b = domain.grid.blocks();
  const std::int64_t all_ids = std::int64_t{b[0]} * b[1] * b[2], ranks = transport.size();
  const std::int64_t share = (all_ids + ranks - 1) / ranks;  // rank r counts ids [r share, (r + 1) share)
  std::vector<std::vector<Count>> asked(static_cast<std::size_t>(ranks));
  for (const auto& block : places.mine)
    asked[static_cast<std::size_t>(block.id / share)].push_back({block.id, block.sites, block.openings, block.walls});
  auto counted = all_to_all(transport, asked);
  Count all;
  answer(transport, counted, all);
  const auto answers = all_to_all(transport, counted);
  auto block = places.mine.begin();  // ascending by id, so also by the rank that counted
  for (const auto& of_rank : answers)
    for (const auto& before : of_rank) {
      block->number = before.blocks;
      block->sites_before = before.sites;
      block->openings_before = before.openings;
      block->walls_before = before.walls;
      ++block;
    }
  places.blocks = all.blocks;
  places.sites = all.sites;
  places.openings = all.openings;
  places.walls = all.walls;
  return places;
}

std::uint64_t hash_of(Transport& transport, const geometry::Domain& domain) {
  // A sum, which does not depend on the distribution over ranks.
  std::uint64_t hash = 0;
  const auto id_of = [&](std::size_t site) {
    return static_cast<std::uint64_t>(domain.grid.site_id(domain.sites[site]));
  };
  for (std::size_t s = 0; s < domain.sites.size(); ++s) hash += mixed(id_of(s));
  for (const auto& cut : domain.cuts) {
    if (cut.opening == geometry::Cut::wall) continue;
    hash += mixed(mixed(id_of(cut.site)) + 32U * static_cast<std::uint64_t>(cut.opening + 1) + cut.link);
  }
  return all_reduce(transport, hash, sum<std::uint64_t>());
}

}  // namespace weft::flow
