// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/checkpoint_file.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "tests/support/shape_catalogue.hpp"
#include "tests/support/shape_domain.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {
namespace {

using Place =
    std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t>;

struct Placed {
  std::map<std::int64_t, Place> blocks;  // by id
  std::uint64_t hash = 0;
};

Placed place(int ranks, const test::Deal& deal, double radius = 0.75) {
  const test::ShapeDomains domains(test::fork(radius), ranks, deal);
  Placed result;
  run_in_process(ranks, [&](Transport& world) {
    const auto& domain = domains.all()[static_cast<std::size_t>(world.rank())];
    // Any property of sites can be used.
    const auto places = place_blocks(
        world, domain, [&](std::size_t s) { return domain.sites[s][0] % 3 == 0; },
        find_surface_sites(domain, lattice::Wall::half_way));
    const auto hash = hash_of(world, domain);
    std::vector<BlockPlace> mine = places.mine;
    for (const auto& block : mine) {
      ASSERT_LE(block.first + block.sites, domain.sites.size());
      EXPECT_EQ(domain.grid.block_id(domain.sites[block.first]), block.id);
    }
    for (const auto& all : gather(world, mine))
      for (const auto& b : all)
        result.blocks[b.id] = {b.number,   b.sites_before, b.openings_before, b.walls_before, b.sites,
                               b.openings, b.walls};
    if (world.rank() != 0) return;
    result.hash = hash;
    EXPECT_EQ(places.blocks, static_cast<std::int64_t>(result.blocks.size()));
    std::int64_t number = 0, sites = 0, openings = 0, walls = 0;
    for (const auto& [id, block] : result.blocks) {
      EXPECT_EQ(std::tie(number, sites, openings, walls),
                std::tie(std::get<0>(block), std::get<1>(block), std::get<2>(block), std::get<3>(block)));
      ++number;
      sites += std::get<4>(block);
      openings += std::get<5>(block);
      walls += std::get<6>(block);
    }
    EXPECT_EQ(places.sites, sites);
    EXPECT_EQ(places.openings, openings);
    EXPECT_EQ(places.walls, walls);
    EXPECT_GT(walls, 0);
  });
  return result;
}

TEST(BlockPlaces, do_not_depend_on_the_ranks) {
  const auto alone = place(1, test::deal_in_turn);
  EXPECT_GT(alone.blocks.size(), 10U);
  for (const int ranks : {2, 3, 5})
    for (const auto& deal : {test::Deal(test::deal_in_turn), test::Deal(test::deal_scattered),
                             test::Deal([](std::int64_t, int n) { return n - 1; })}) {
      const auto other = place(ranks, deal);
      EXPECT_EQ(other.blocks, alone.blocks) << ranks;
      EXPECT_EQ(other.hash, alone.hash) << ranks;
    }
  EXPECT_NE(place(2, test::deal_in_turn, 0.8).hash, alone.hash);
}

}  // namespace
}  // namespace weft::flow
