// SPDX-License-Identifier: BSD-3-Clause
//
// The vessel does not depend on the owners of the sites, nor on the number of rounds in which they are sent.
#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/detail/block_graph.hpp"
#include "geometry/detail/decompose.hpp"
#include "tests/support/geometry_domains.hpp"
#include "tests/support/geometry_shapes.hpp"

using namespace weft;
using namespace weft::geometry;
using namespace weft::geometry::detail;
using namespace weft::geometry::test;

namespace {

const Grid grid{{-0.05, -0.05, -0.05}, 0.1, {50, 43, 47}};

int owner_of(std::int64_t block, int ranks) {
  return static_cast<int>(test::mixed(static_cast<std::uint64_t>(block)) % static_cast<std::uint64_t>(ranks));
}

/// This rank's part of the sphere, sent to random owners.
Domain moved(Transport& transport, const Share& share, const Tiling& tiling, const RoundSize& round) {
  const std::vector<std::uint8_t> keep(share.runs.size(), 1);
  const BlockScan scan(share, keep, tiling, grid);
  const auto blocks = block_graph(scan, grid).blocks;

  Domain domain;
  domain.grid = grid;
  std::vector<BlockOwner> owners;
  std::vector<OwnedBlock> mine;
  for (const auto& block : blocks) owners.push_back({block.id, owner_of(block.id, transport.size())});
  for (const auto& block : all_gather(transport, blocks)) {
    domain.owner[block.id] = owner_of(block.id, transport.size());
    if (domain.owner[block.id] == transport.rank()) mine.push_back({block.id, block.sites, block.cuts});
  }
  std::sort(mine.begin(), mine.end(), [](const auto& a, const auto& b) { return a.block < b.block; });
  move_sites(transport, scan, owners, mine, domain, round);
  return domain;
}

}  // namespace

TEST(MoveSites, neither_rounds_nor_owners_change_the_vessel) {
  const auto surface = sphere({2.2, 2, 2.1}, 1.9, 3);
  std::vector<std::uint64_t> prints;
  for (const int ranks : {1, 2, 5})
    for (const RoundSize round : {RoundSize{}, RoundSize{1, 1}, RoundSize{20'000, 1}})
      run_in_process(ranks, [&](Transport& transport) {
        const Tiling tiling(grid, ranks);
        const auto share = geometry::detail::voxelise(surface, {}, grid, tiling, transport.rank());
        const auto domain = moved(transport, share, tiling, round);
        expect_consistent(transport, domain);
        const auto print = fingerprint(transport, domain);
        if (transport.rank() == 0) prints.push_back(print);
      });
  ASSERT_EQ(prints.size(), 9U);
  for (const auto print : prints) EXPECT_EQ(print, prints.front());
}

TEST(MoveSites, what_is_not_kept_does_not_move) {
  const Tiling tiling(grid, 1);
  const auto surface = joined(sphere({1, 1, 1}, 0.7, 3), sphere({3, 3, 3}, 0.9, 3));
  const auto share = geometry::detail::voxelise(surface, {}, grid, tiling, 0);
  std::vector<std::uint8_t> keep;
  std::int64_t kept = 0;
  for (const auto& run : share.runs) {
    keep.push_back(grid.centre(run.first)[0] < 1.9);  // keeps the first sphere
    if (keep.back() != 0) kept += run.count;
  }
  std::int64_t sites = 0, cuts = 0;
  for (BlockScan scan(share, keep, tiling, grid); scan.next();) {
    sites += scan.sites();
    cuts += scan.cuts();
    each_bit(scan.mask(), [&](unsigned bit) {
      if (cuts_of(scan.fluid(bit)) == 0) return;
      EXPECT_EQ(share.fluid[scan.cut(bit)->site], scan.fluid(bit));
      EXPECT_EQ(scan.fluid(bit) >> scan.cut(bit)->link & 1U, 0U);
    });
  }
  EXPECT_EQ(sites, kept);
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, static_cast<std::int64_t>(share.fluid.size()));
  EXPECT_GT(cuts, 0);
  EXPECT_LT(cuts, static_cast<std::int64_t>(share.cuts.size()));
}
