// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/decompose.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "geometry/detail/block_graph.hpp"
#include "geometry/detail/components.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::geometry::detail {

namespace {

// The message of a block: its mask of sites. The links follow in a separate list, then the cuts.
struct BlockMessage {
  std::int64_t block;
  BlockMask mask;
};

struct CutMessage {
  float distance;
  std::int16_t opening;
  std::uint8_t link;
};

// The blocks to be sent to one rank.
struct Parcels {
  std::vector<std::vector<BlockMessage>> blocks;
  std::vector<std::vector<std::uint32_t>> fluid;
  std::vector<std::vector<CutMessage>> cuts;

  explicit Parcels(std::size_t ranks) : blocks(ranks), fluid(ranks), cuts(ranks) {}
  std::size_t bytes_to(std::size_t rank) const {
    return blocks[rank].size() * sizeof(BlockMessage) + fluid[rank].size() * sizeof(std::uint32_t) +
           cuts[rank].size() * sizeof(CutMessage);
  }
};

// Fills the domain, block by block.
class Placing {
 public:
  Placing(const std::vector<OwnedBlock>& mine, Domain& domain) : mine_(mine), domain_(domain) {
    std::size_t sites = 0, cuts = 0;
    for (const auto& block : mine) {
      starts_.push_back({sites, cuts});
      sites += static_cast<std::size_t>(block.sites);
      cuts += static_cast<std::size_t>(block.cuts);
    }
    if (sites > std::numeric_limits<std::uint32_t>::max())
      throw InputError("One rank has more than 2^32 sites (a rank numbers its sites with 32 bits). Use more ranks.");
    domain.sites.resize(sites);
    domain.fluid.resize(sites);
    domain.cuts.resize(cuts);
    across_ = domain.grid.blocks();
  }

  // fluid(bit) and cut(bit) are called once per site, ascending.
  template <class Fluid, class FirstCut>
  void place(std::int64_t block, const BlockMask& mask, Fluid&& fluid_of, FirstCut&& cut_of) {
    const auto at = std::lower_bound(mine_.begin(), mine_.end(), block,
                                     [](const OwnedBlock& b, std::int64_t id) { return b.block < id; });
    auto [site, cut] = starts_[static_cast<std::size_t>(at - mine_.begin())];
    const auto width = std::int64_t{block_width};
    const std::array<std::int64_t, 3> corner{block % across_[0] * width, block / across_[0] % across_[1] * width,
                                             block / across_[0] / across_[1] * width};
    each_bit(mask, [&, site = site, cut = cut](unsigned bit) mutable {
      const auto place = place_in_block(bit);
      for (std::size_t k = 0; k < 3; ++k) domain_.sites[site][k] = static_cast<std::int32_t>(corner[k] + place[k]);
      const std::uint32_t fluid = domain_.fluid[site] = fluid_of(bit);
      const auto* from = cut_of(bit);
      for (auto n = cuts_of(fluid); n > 0; --n, ++from)
        domain_.cuts[cut++] = {static_cast<std::uint32_t>(site), from->link, from->opening, from->distance};
      ++site;
    });
  }

  void place(const std::vector<BlockMessage>& blocks, const std::vector<std::uint32_t>& fluid,
             const std::vector<CutMessage>& cuts) {
    const auto* next_fluid = fluid.data();
    const auto* next_cut = cuts.data();
    for (const auto& message : blocks)
      place(
          message.block, message.mask, [&](unsigned) { return *next_fluid++; },
          [&](unsigned) { return std::exchange(next_cut, next_cut + cuts_of(next_fluid[-1])); });
  }

 private:
  struct Start {
    std::size_t site, cut;
  };
  const std::vector<OwnedBlock>& mine_;
  Domain& domain_;
  std::vector<Start> starts_;  // of each block of this rank
  std::array<std::int32_t, 3> across_{};
};

void pack(const BlockScan& scan, std::size_t rank, Parcels& parcels) {
  parcels.blocks[rank].push_back({scan.id(), scan.mask()});
  each_bit(scan.mask(), [&](unsigned bit) {
    const auto fluid = scan.fluid(bit);
    parcels.fluid[rank].push_back(fluid);
    const auto* cut = scan.cut(bit);
    for (auto n = cuts_of(fluid); n > 0; --n, ++cut)
      parcels.cuts[rank].push_back({cut->distance, cut->opening, cut->link});
  });
}

}  // namespace

void move_sites(Transport& transport, BlockScan scan, const std::vector<BlockOwner>& owners,
                const std::vector<OwnedBlock>& mine, Domain& domain, const RoundSize& round) {
  const auto ranks = static_cast<std::size_t>(transport.size());
  const auto me = static_cast<std::size_t>(transport.rank());
  const auto most_to_a_rank = std::max(round.all / ranks, round.least_to_a_rank);

  std::optional<Placing> placing;
  together(transport, [&] { placing.emplace(mine, domain); });
  for (bool more = true; more;) {
    Parcels parcels(ranks);
    bool full = false;
    while (!full && (more = scan.next())) {
      const auto at = std::lower_bound(owners.begin(), owners.end(), scan.id(),
                                       [](const BlockOwner& b, std::int64_t id) { return b.block < id; });
      const auto to = static_cast<std::size_t>(at->rank);
      if (to == me) {
        placing->place(
            scan.id(), scan.mask(), [&](unsigned bit) { return scan.fluid(bit); },
            [&](unsigned bit) { return scan.cut(bit); });
      } else {
        pack(scan, to, parcels);
        full = parcels.bytes_to(to) >= most_to_a_rank;
      }
    }
    const auto blocks = all_to_all(transport, parcels.blocks);
    const auto fluid = all_to_all(transport, parcels.fluid);
    const auto cuts = all_to_all(transport, parcels.cuts);
    for (std::size_t r = 0; r < ranks; ++r) placing->place(blocks[r], fluid[r], cuts[r]);
    more = all_reduce(transport, more ? 1 : 0, maximum<int>()) != 0;
  }
}

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
