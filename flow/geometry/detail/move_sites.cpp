// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/move_sites.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

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

}  // namespace weft::geometry::detail
