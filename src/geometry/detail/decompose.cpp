// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/decompose.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <tuple>
#include <unordered_map>

#include "geometry/detail/block_graph.hpp"
#include "geometry/detail/block_links.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::geometry::detail {

namespace {

struct BlockOwner {
  std::int64_t block;
  std::int32_t rank;
};

struct Totals {
  std::int64_t blocks, edge_cut;
};

struct SiteMessage {
  Position position;
  std::uint32_t fluid;  // says how many cuts the site has, too
};

struct CutMessage {
  float distance;
  std::int16_t opening;
  std::uint8_t link;
};

std::size_t cuts_of(std::uint32_t fluid) { return static_cast<std::size_t>(26 - std::popcount(fluid)); }

// What rank 0 tells each rank: who owns the blocks that it holds now, and those that it will own and their neighbours.
struct Division {
  std::vector<std::vector<BlockOwner>> of_held, of_owned;
  Totals totals{};
};

Division divide_all(const std::vector<std::vector<BlockGraph::Block>>& blocks,
                    const std::vector<std::vector<BlockGraph::Edge>>& edges, int ranks) {
  BlockGraph graph;
  for (const auto& part : blocks) graph.blocks.insert(graph.blocks.end(), part.begin(), part.end());
  for (const auto& part : edges) graph.edges.insert(graph.edges.end(), part.begin(), part.end());
  normalise(graph);
  if (graph.blocks.size() < static_cast<std::size_t>(ranks))
    throw InputError("there are more ranks (" + std::to_string(ranks) + ") than blocks of 8^3 sites that hold fluid (" +
                     std::to_string(graph.blocks.size()) +
                     "; every rank needs one). Use fewer ranks or a smaller voxel.");
  const auto part = divide(graph, ranks);
  const auto owner = [&](std::int64_t id) {
    const auto at = std::lower_bound(graph.blocks.begin(), graph.blocks.end(), id,
                                     [](const BlockGraph::Block& b, std::int64_t i) { return b.id < i; });
    return part[static_cast<std::size_t>(at - graph.blocks.begin())];
  };

  Division division;
  division.of_held.resize(static_cast<std::size_t>(ranks));
  division.of_owned.resize(static_cast<std::size_t>(ranks));
  for (std::size_t r = 0; r < blocks.size(); ++r)
    for (const auto& block : blocks[r]) division.of_held[r].push_back({block.id, owner(block.id)});
  const auto tell = [&](int rank, std::int64_t block, int its_owner) {
    division.of_owned[static_cast<std::size_t>(rank)].push_back({block, its_owner});
  };
  for (std::size_t i = 0; i < part.size(); ++i) tell(part[i], graph.blocks[i].id, part[i]);
  division.totals.blocks = static_cast<std::int64_t>(part.size());
  for (const auto& edge : graph.edges) {
    const int a = owner(edge.a), b = owner(edge.b);
    if (a == b) continue;
    division.totals.edge_cut += edge.links;
    tell(a, edge.b, b);
    tell(b, edge.a, a);
  }
  return division;
}

// Sites and their cuts, in the same order, on their way to one rank.
struct Parcel {
  std::vector<SiteMessage> sites;
  std::vector<CutMessage> cuts;
};

std::vector<Parcel> sort_by_owner(const Share& share, const std::vector<std::uint8_t>& keep, const Grid& grid,
                                  const std::unordered_map<std::int64_t, int>& owner, std::size_t ranks) {
  std::vector<Parcel> parcels(ranks);
  auto cut = share.cuts.begin();
  for (std::size_t r = 0; r < share.runs.size(); ++r) {
    const auto& run = share.runs[r];
    Parcel* to = nullptr;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const auto first = cut;
      while (cut != share.cuts.end() && cut->site == run.site + i) ++cut;
      if (keep[r] == 0) continue;
      const auto p = run.position(i);
      if (to == nullptr || p[2] % block_width == 0)
        to = &parcels[static_cast<std::size_t>(owner.at(grid.block_id(p)))];
      to->sites.push_back({p, share.fluid[run.site + i]});
      for (auto c = first; c != cut; ++c) to->cuts.push_back({c->distance, c->opening, c->link});
    }
  }
  return parcels;
}

// Puts what arrived into the domain, in its order.
void unpack(const std::vector<std::vector<SiteMessage>>& sites, const std::vector<std::vector<CutMessage>>& cuts,
            Domain& domain) {
  struct Key {
    std::int64_t block, site;
    const SiteMessage* message;
    const CutMessage* first_cut;
  };
  std::vector<Key> keys;
  std::size_t count = 0, cut_count = 0;
  for (const auto& part : sites) count += part.size();
  for (const auto& part : cuts) cut_count += part.size();
  keys.reserve(count);
  for (std::size_t r = 0; r < sites.size(); ++r) {
    const CutMessage* next = cuts[r].data();
    for (const auto& message : sites[r]) {
      keys.push_back({domain.grid.block_id(message.position), domain.grid.site_id(message.position), &message, next});
      next += cuts_of(message.fluid);
    }
  }
  std::sort(keys.begin(), keys.end(),
            [](const Key& a, const Key& b) { return std::tie(a.block, a.site) < std::tie(b.block, b.site); });
  domain.sites.reserve(count);
  domain.fluid.reserve(count);
  domain.cuts.reserve(cut_count);
  for (const auto& key : keys) {
    const auto site = static_cast<std::uint32_t>(domain.sites.size());
    domain.sites.push_back(key.message->position);
    domain.fluid.push_back(key.message->fluid);
    for (std::size_t i = 0; i < cuts_of(key.message->fluid); ++i) {
      const auto& cut = key.first_cut[i];
      domain.cuts.push_back({site, cut.link, cut.opening, cut.distance});
    }
  }
}

}  // namespace

void decompose(Transport& transport, const Share& share, const std::vector<std::uint8_t>& keep, Domain& domain,
               SetupReport& report) {
  const auto ranks = static_cast<std::size_t>(transport.size());
  const auto mine = block_graph(share, keep, domain.grid);
  const auto blocks = gather(transport, mine.blocks);
  const auto edges = gather(transport, mine.edges);
  Division division;
  division.of_held.resize(ranks);
  division.of_owned.resize(ranks);
  on_root(transport, [&] { division = divide_all(blocks, edges, transport.size()); });
  const auto totals = broadcast(transport, std::vector<Totals>{division.totals}).front();

  const auto of_held = all_to_all(transport, division.of_held);
  const auto of_owned = all_to_all(transport, division.of_owned);
  std::unordered_map<std::int64_t, int> owner_of_held;
  for (const auto& [block, rank] : of_held[0]) owner_of_held[block] = rank;
  for (const auto& [block, rank] : of_owned[0]) domain.owner[block] = rank;

  std::vector<std::vector<SiteMessage>> sites(ranks);
  std::vector<std::vector<CutMessage>> cuts(ranks);
  {
    auto parcels = sort_by_owner(share, keep, domain.grid, owner_of_held, ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      sites[r] = std::move(parcels[r].sites);
      cuts[r] = std::move(parcels[r].cuts);
    }
  }
  sites = all_to_all(transport, sites);
  cuts = all_to_all(transport, cuts);
  unpack(sites, cuts, domain);

  const auto own = static_cast<std::int64_t>(domain.sites.size());
  domain.global_sites = all_reduce(transport, own, sum<std::int64_t>());
  domain.global_blocks = totals.blocks;
  report.blocks = totals.blocks;
  report.edge_cut = totals.edge_cut;
  const auto most = all_reduce(transport, own, maximum<std::int64_t>());
  report.balance = static_cast<double>(most) * static_cast<double>(ranks) / static_cast<double>(domain.global_sites);
}

}  // namespace weft::geometry::detail
