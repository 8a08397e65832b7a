// SPDX-License-Identifier: BSD-3-Clause
#include "amr/tree.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "amr/hierarchy.hpp"

namespace weft::amr {
namespace {

TEST(Curve, hilbert_visits_every_point_in_steps_of_one) {
  constexpr std::uint32_t n = 8;
  std::vector<std::array<int, 3>> at(n * n * n, {-1, -1, -1});
  for (std::uint32_t k = 0; k < n; ++k)
    for (std::uint32_t j = 0; j < n; ++j)
      for (std::uint32_t i = 0; i < n; ++i) {
        const auto place = place_on_curve(Curve::hilbert, {i, j, k}, 3);
        ASSERT_LT(place, at.size());
        EXPECT_EQ(at[place][0], -1);
        at[place] = {static_cast<int>(i), static_cast<int>(j), static_cast<int>(k)};
      }
  for (std::size_t p = 1; p < at.size(); ++p) {
    int distance = 0;
    for (std::size_t a = 0; a < 3; ++a) distance += std::abs(at[p][a] - at[p - 1][a]);
    EXPECT_EQ(distance, 1);
  }
}

TEST(Curve, cuts_by_weight) {
  const std::vector<double> weights{1, 1, 1, 1, 4, 4};
  EXPECT_EQ(cut_by_weight(weights, 3), (std::vector<std::int32_t>{0, 0, 0, 0, 1, 2}));
  EXPECT_EQ(cut_by_weight(std::vector<double>{1}, 4).size(), 1U);
}

TEST(Tree, nests_and_finds_neighbours) {
  const Domain domain{.blocks = {4, 4, 4}, .periodic = {true, false, false}, .cells = 8};
  const std::vector<BlockKey> wanted{{2, {0, 8, 8}}};
  const Tree tree(domain, nest(domain, wanted), 3);
  ASSERT_EQ(tree.levels(), 4);
  EXPECT_EQ(tree.level(3).size(), 8U);
  for (int l = 0; l + 1 < tree.levels(); ++l)
    for (const auto& block : tree.level(l)) {
      if (!tree.is_refined(block.key)) continue;
      for (int d = 0; d < Direction::count; ++d)
        EXPECT_NE(tree.neighbour(block.key, Direction::of(d)).kind, Neighbour::Kind::coarser);
    }
  EXPECT_TRUE(tree.is_refined({0, {3, 2, 2}}));  // across the periodic boundary
  EXPECT_EQ(tree.neighbour({0, {0, 0, 0}}, {{-1, 0, 0}}).key, (BlockKey{0, {3, 0, 0}}));
  EXPECT_EQ(tree.neighbour({0, {0, 0, 0}}, {{0, -1, 0}}).kind, Neighbour::Kind::outside);
  EXPECT_EQ(tree.neighbour({3, {0, 16, 16}}, {{-1, 0, 0}}).kind, Neighbour::Kind::coarser);
  EXPECT_TRUE(tree.feeds_finer({2, {1, 9, 9}}));
  EXPECT_FALSE(tree.feeds_finer({2, {0, 8, 8}}));  // refined itself
  const Tree again(domain, tree.refined(), 2, Curve::morton);
  EXPECT_EQ(again.blocks(), tree.blocks());
}

TEST(Tree, deals_every_level_out_evenly) {
  const Domain domain{.blocks = {4, 4, 4}, .cells = 8};
  const std::vector<BlockKey> wanted{{0, {1, 1, 1}}, {0, {2, 1, 1}}};
  const Tree tree(domain, wanted, 4);
  for (const auto& level : tree.blocks_by_rank())
    for (const auto blocks : level) EXPECT_EQ(blocks, level[0]);
}

}  // namespace
}  // namespace weft::amr
