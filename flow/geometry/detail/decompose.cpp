// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/decompose.hpp"

#include <algorithm>
#include <string>

#include "geometry/detail/block_graph.hpp"
#include "geometry/detail/components.hpp"
#include "geometry/detail/move_sites.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::geometry::detail {

namespace {

struct Totals {
  std::int64_t blocks, edge_cut;
};

// What rank 0 sends to each rank: the owners of its present blocks, its future blocks, and their neighbours.
struct Division {
  std::vector<std::vector<BlockOwner>> of_held, of_neighbours;
  std::vector<std::vector<OwnedBlock>> owned;
  Totals totals{};
};

Division divide_all(const std::vector<std::vector<BlockGraph::Block>>& blocks,
                    const std::vector<std::vector<BlockGraph::Edge>>& edges, int ranks) {
  BlockGraph graph;
  for (const auto& part : blocks) graph.blocks.insert(graph.blocks.end(), part.begin(), part.end());
  for (const auto& part : edges) graph.edges.insert(graph.edges.end(), part.begin(), part.end());
  normalise(graph);
  if (graph.blocks.size() < static_cast<std::size_t>(ranks))
    throw InputError("There are more ranks (" + std::to_string(ranks) +
                     ") than blocks of 8^3 sites that contain fluid (" + std::to_string(graph.blocks.size()) +
                     ", but every rank needs one). Use fewer ranks or a smaller voxel.");
  const auto part = divide(graph, ranks);
  const auto owner = [&](std::int64_t id) {
    const auto at = std::lower_bound(graph.blocks.begin(), graph.blocks.end(), id,
                                     [](const BlockGraph::Block& b, std::int64_t i) { return b.id < i; });
    return part[static_cast<std::size_t>(at - graph.blocks.begin())];
  };

  Division division;
  division.of_held.resize(static_cast<std::size_t>(ranks));
  division.of_neighbours.resize(static_cast<std::size_t>(ranks));
  division.owned.resize(static_cast<std::size_t>(ranks));
  for (std::size_t r = 0; r < blocks.size(); ++r)
    for (const auto& block : blocks[r]) division.of_held[r].push_back({block.id, owner(block.id)});
  for (std::size_t i = 0; i < part.size(); ++i)
    division.owned[static_cast<std::size_t>(part[i])].push_back(
        {graph.blocks[i].id, graph.blocks[i].sites, graph.blocks[i].cuts});
  const auto tell = [&](int rank, std::int64_t block, int its_owner) {
    division.of_neighbours[static_cast<std::size_t>(rank)].push_back({block, its_owner});
  };
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

}  // namespace

void decompose(Transport& transport, const BlockScan& scan, Domain& domain, SetupReport& report) {
  const auto ranks = static_cast<std::size_t>(transport.size());
  Division division;
  {
    const auto mine = block_graph(scan, domain.grid);
    const auto blocks = gather(transport, mine.blocks);
    const auto edges = gather(transport, mine.edges);
    on_root(transport, [&] { division = divide_all(blocks, edges, transport.size()); });
  }
  division.of_held.resize(ranks);
  division.of_neighbours.resize(ranks);
  division.owned.resize(ranks);
  const auto totals = broadcast(transport, std::vector<Totals>{division.totals}).front();
  const auto of_held = all_to_all(transport, division.of_held).front();
  const auto of_neighbours = all_to_all(transport, division.of_neighbours).front();
  const auto owned = all_to_all(transport, division.owned).front();
  division = {};
  for (const auto& block : owned) domain.owner[block.block] = transport.rank();
  for (const auto& [block, rank] : of_neighbours) domain.owner[block] = rank;
  move_sites(transport, scan, of_held, owned, domain);

  const auto own = static_cast<std::int64_t>(domain.sites.size());
  domain.global_sites = all_reduce(transport, own, sum<std::int64_t>());
  domain.global_blocks = totals.blocks;
  report.blocks = totals.blocks;
  report.edge_cut = totals.edge_cut;
  const auto most = all_reduce(transport, own, maximum<std::int64_t>());
  report.balance = static_cast<double>(most) * static_cast<double>(ranks) / static_cast<double>(domain.global_sites);
}

namespace {
std::int64_t total(Transport& transport, std::int64_t mine) { return all_reduce(transport, mine, sum<std::int64_t>()); }
}  // namespace

std::vector<std::int64_t> sites_at_openings(Transport& transport, const Share& share, std::size_t openings) {
  std::vector<std::int64_t> sites(openings, 0);
  for (std::size_t i = 0; i < share.cuts.size();) {
    const std::uint32_t site = share.cuts[i].site;
    std::vector<std::int16_t> seen;  // rarely more than one
    for (; i < share.cuts.size() && share.cuts[i].site == site; ++i) {
      const auto opening = share.cuts[i].opening;
      if (opening == Cut::wall || std::find(seen.begin(), seen.end(), opening) != seen.end()) continue;
      seen.push_back(opening);
      ++sites[static_cast<std::size_t>(opening)];
    }
  }
  for (auto& n : sites) n = total(transport, n);
  return sites;
}

void divide_share(Transport& transport, const Share& share, const Tiling& tiling, double start, Domain& domain,
                  SetupReport& report) {
  std::vector<std::uint8_t> keep(share.runs.size(), 1);
  if (!domain.openings.empty()) keep = connected_to_openings(transport, share, tiling, domain.grid);
  const double voxelised = now_seconds();
  decompose(transport, {share, keep, tiling, domain.grid}, domain, report);

  report.sites = domain.global_sites;
  report.dropped_sites = total(transport, static_cast<std::int64_t>(share.fluid.size())) - domain.global_sites;
  report.voxelise_seconds = all_reduce(transport, voxelised - start, maximum<double>());
  report.decompose_seconds = all_reduce(transport, now_seconds() - voxelised, maximum<double>());
}

}  // namespace weft::geometry::detail
