// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/detail/block_graph.hpp"

using namespace weft::geometry::detail;

namespace {

BlockGraph chain(int blocks) {
  BlockGraph graph;
  for (int i = 0; i < blocks; ++i) graph.blocks.push_back({10 * i, 100 + i % 3});
  for (int i = 1; i < blocks; ++i) graph.edges.push_back({10 * (i - 1), 10 * i, 64});
  return graph;
}

}  // namespace

TEST(BlockGraph, normalise_sorts_and_adds_up) {
  BlockGraph graph{{{7, 1}, {3, 2}}, {{3, 7, 5}, {3, 4, 1}, {3, 7, 6}}};
  normalise(graph);
  EXPECT_EQ(graph.blocks[0].id, 3);
  ASSERT_EQ(graph.edges.size(), 2U);
  EXPECT_EQ(graph.edges[1].links, 11);
}

TEST(BlockGraph, every_part_gets_a_block_and_the_same_each_time) {
  for (const int parts : {1, 2, 3, 7, 8, 9, 16, 33, 60}) {
    const auto graph = chain(60);
    const auto part = divide(graph, parts);
    ASSERT_EQ(part.size(), 60U);
    for (int p = 0; p < parts; ++p) EXPECT_NE(std::count(part.begin(), part.end(), p), 0) << p << " of " << parts;
    EXPECT_EQ(part, divide(graph, parts));
  }
}

TEST(BlockGraph, one_heavy_block_leaves_no_part_empty) {
  auto graph = chain(5);
  graph.blocks[2].sites = 1'000'000;
  const auto part = divide(graph, 5);
  for (int p = 0; p < 5; ++p) EXPECT_EQ(std::count(part.begin(), part.end(), p), 1);
}

TEST(BlockGraph, a_chain_is_cut_once_for_two) {
  const auto part = divide(chain(60), 2);
  int changes = 0;
  for (std::size_t i = 1; i < part.size(); ++i) changes += part[i] != part[i - 1];
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(std::count(part.begin(), part.end(), 0), 30);
}
