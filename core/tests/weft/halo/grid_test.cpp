// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/cartesian_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <set>

#include "tests/support/core_ranks.hpp"
#include "weft/halo/halo.hpp"
#include "weft/halo/rank_order.hpp"
#include "weft/transport/in_process.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::array<int, 3> chosen(int ranks, const GridOptions& options) {
  return CartesianGrid(0, ranks, options).processes();
}

TEST(HaloGrid, blocks_cover_the_grid_once_and_differ_by_one_point_at_most) {
  for (const int ranks : {1, 2, 3, 5, 6, 12}) {
    std::set<Index> seen;
    const GridOptions options{.extent = {7, 13, 5}};
    for (int r = 0; r < ranks; ++r) {
      const CartesianGrid grid(r, ranks, options);
      const auto block = grid.block();
      EXPECT_EQ(block, CartesianGrid(0, ranks, options).block_of(r));
      for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_GE(block.count[a], grid.shortest(a));
        EXPECT_LE(block.count[a], grid.shortest(a) + 1);
      }
      for (std::size_t i = 0; i < block.points(); ++i)
        EXPECT_TRUE(
            seen.insert({block.first[0] + i / block.count[2] / block.count[1],
                         block.first[1] + i / block.count[2] % block.count[1], block.first[2] + i % block.count[2]})
                .second);
    }
    EXPECT_EQ(seen.size(), 7u * 13 * 5);
  }
}

TEST(HaloGrid, blocks_may_have_given_lengths) {
  const GridOptions options{.lengths = {{5, 1, 3}, {2, 6}}};
  const CartesianGrid grid(3, 6, options);
  EXPECT_EQ(grid.extent(), (Index{9, 8, 1}));
  EXPECT_THAT(grid.processes(), ElementsAre(3, 2, 1));
  EXPECT_EQ(grid.block(), (Box{{5, 2, 0}, {1, 6, 1}}));
  EXPECT_EQ(grid.block_of(4), (Box{{6, 0, 0}, {3, 2, 1}}));
  EXPECT_EQ(grid.shortest(0), 1u);
  EXPECT_EQ(grid.shortest(1), 2u);
  EXPECT_THAT(Halo(grid).describe(), HasSubstr("blocks along 0: 5 + 1 + 3, blocks along 1: 2 + 6"));
  EXPECT_THROW(Halo(grid, {.width = 2}), Error);
  for (const GridOptions& wrong :
       {GridOptions{.lengths = {{5, 0}}}, GridOptions{.lengths = {{}}}, GridOptions{.extent = {6}, .lengths = {{2, 5}}},
        GridOptions{.processes = {3}, .lengths = {{2, 5}}}, GridOptions{.lengths = {{7}}}})
    EXPECT_THROW(CartesianGrid(0, 2, wrong), Error);
}

TEST(HaloGrid, the_process_grid_with_the_least_surface_is_chosen) {
  EXPECT_THAT(chosen(8, {.extent = {64, 64, 64}}), ElementsAre(2, 2, 2));
  EXPECT_THAT(chosen(8, {.extent = {10, 10, 1000}}), ElementsAre(1, 1, 8));
  EXPECT_THAT(chosen(12, {.extent = {64, 64, 64}, .periodic = {true, true, true}}), ElementsAre(3, 2, 2));
  EXPECT_THAT(chosen(4, {.extent = {64, 64, 64}, .processes = {1}, .periodic = {true, true, true}}),
              ElementsAre(1, 2, 2));
  EXPECT_THAT(chosen(6, {.extent = {100, 100}, .processes = {0, 3}}), ElementsAre(2, 3, 1));
  EXPECT_THAT(chosen(7, {.extent = {100}}), ElementsAre(7, 1, 1));
  EXPECT_THAT(chosen(7, {.extent = {3, 7}}),
              ElementsAre(1, 7, 1));  // 7 along the first axis would leave ranks without points
}

TEST(HaloGrid, neighbours_wrap_around_periodic_axes_only) {
  const GridOptions options{.extent = {6, 6}, .processes = {3, 2}, .periodic = {false, true}};
  const CartesianGrid corner(0, 6, options), middle(3, 6, options);
  EXPECT_EQ(corner.neighbour({-1, 0, 0}), std::nullopt);
  EXPECT_EQ(corner.neighbour({1, 0, 0}), 2);
  EXPECT_EQ(corner.neighbour({0, 1, 0}), 1);
  EXPECT_EQ(corner.neighbour({0, -1, 0}), 1);
  EXPECT_EQ(corner.neighbour({1, -1, 0}), 3);
  EXPECT_EQ(corner.neighbour({0, 0, 0}), 0);
  EXPECT_EQ(corner.neighbour({0, 0, 1}), std::nullopt);
  EXPECT_EQ(middle.neighbour({-1, 1, 0}), 0);
  EXPECT_FALSE(corner.has_neighbour(0, -1));
  EXPECT_TRUE(corner.has_neighbour(0, 1));
}

TEST(HaloGrid, directions_are_faces_then_edges_then_corners) {
  EXPECT_EQ(directions_of(1).size(), 2u);
  EXPECT_EQ(directions_of(2).size(), 8u);
  ASSERT_EQ(directions_of(3).size(), 26u);
  EXPECT_EQ(directions_of(3)[5], (Direction{1, 0, 0}));
  EXPECT_EQ(directions_of(3)[18], (Direction{-1, -1, -1}));
  for (const auto& d : directions_of(3)) EXPECT_EQ(number_of(d) + number_of(opposite(d)), 26u);
}

TEST(HaloGrid, refuses_what_can_not_be_cut) {
  const auto error = [](int ranks, const GridOptions& options) {
    return error_of([&] { CartesianGrid(0, ranks, options); });
  };
  EXPECT_THAT(error(5, {.extent = {2, 2}}), HasSubstr("A grid of 2 x 2 points can't be cut into blocks for 5 ranks"));
  EXPECT_THAT(error(4, {.extent = {9, 9}, .processes = {3, 1}}), HasSubstr("for 4 ranks as 3 x 1"));
  EXPECT_THAT(error(2, {.extent = {9, 0}}), HasSubstr("each rank must own at least one point"));
  EXPECT_THAT(error(1, {.extent = {}}), HasSubstr("A grid has 0 dimensions. Use 1 to 3."));
  EXPECT_THAT(error(1, {.extent = {2, 2, 2, 2}}), HasSubstr("A grid has 4 dimensions"));
  EXPECT_THAT(error(1, {.extent = {2}, .periodic = {true, true}}), HasSubstr("Give at most one of each per axis"));
  EXPECT_THAT(error(1, {.extent = {2}, .processes = {-1}}), HasSubstr("is impossible"));
}

// The faces between blocks of different nodes, in points.
std::size_t faces_between_nodes(const CartesianGrid& any, int ranks, const GridOptions& options,
                                const std::vector<int>& nodes) {
  std::size_t points = 0;
  for (int r = 0; r < ranks; ++r) {
    const CartesianGrid grid(r, ranks, options);
    for (std::size_t a = 0; a < any.dimensions(); ++a) {
      Direction d{};
      d[a] = 1;
      const auto n = grid.block().count;
      if (const auto peer = grid.neighbour(d); peer && nodes[std::size_t(*peer)] != nodes[std::size_t(r)])
        points += n[(a + 1) % 3] * n[(a + 2) % 3];
    }
  }
  return points;
}

TEST(HaloGrid, ranks_may_be_placed_in_any_order) {
  const GridOptions plain{.extent = {7, 8, 9}, .processes = {3, 2, 2}, .periodic = {true, false, true}};
  auto options = plain;
  options.ranks = {5, 0, 11, 3, 2, 1, 4, 10, 9, 8, 7, 6};
  for (int position = 0; position < 12; ++position) {
    const int rank = options.ranks[std::size_t(position)];
    const CartesianGrid grid(rank, 12, options), before(position, 12, plain);
    EXPECT_EQ(grid.rank(), rank);
    EXPECT_EQ(grid.block(), before.block());
    EXPECT_EQ(grid.block(), CartesianGrid(0, 12, options).block_of(rank));
    EXPECT_EQ(grid.coordinates(), before.coordinates());
    for (const auto& d : directions_of(3)) {
      const auto peer = before.neighbour(d);
      EXPECT_EQ(grid.neighbour(d), peer ? std::optional(options.ranks[std::size_t(*peer)]) : std::nullopt);
    }
  }
  for (const auto& wrong : {std::vector<int>{0, 1}, {0, 1, 2, 2}, {0, 1, 2, 4}, {0, 1, 2, -1}, {0, 1, 2, 3, 4}})
    EXPECT_THAT(error_of([&] {
                  CartesianGrid(0, 4, {.extent = {8, 8}, .ranks = wrong});
                }),
                HasSubstr("Give each rank from 0 to 3 once."));
}

// Against all tiles: that of the order has the fewest points between nodes.
TEST(HaloGrid, ranks_of_a_node_form_the_tile_with_the_smallest_surface) {
  const struct {
    GridOptions options;
    int each;  // ranks of a node
  } cases[] = {{{.extent = {64, 64}, .processes = {4, 4}}, 4},
               {{.extent = {64, 16}, .processes = {4, 4}}, 4},
               {{.extent = {40, 40, 40}, .processes = {2, 4, 3}, .periodic = {true, true, true}}, 6},
               {{.extent = {40, 20, 10}, .processes = {4, 2, 2}, .periodic = {false, true}}, 2},
               {{.extent = {24}, .processes = {8}}, 2}};
  for (const auto& [options, each] : cases)
    for (const bool scattered : {false, true}) {
      const CartesianGrid grid(
          0, std::accumulate(options.processes.begin(), options.processes.end(), 1, std::multiplies<>()), options);
      const int ranks = grid.ranks();
      std::vector<int> nodes;
      for (int r = 0; r < ranks; ++r) nodes.push_back(scattered ? r % (ranks / each) : r / each * each);
      auto placed = options;
      placed.ranks = ranks_by_node(nodes, grid);
      EXPECT_EQ(positions_of(placed.ranks, ranks).size(), placed.ranks.size());
      const auto points = faces_between_nodes(grid, ranks, placed, nodes);
      std::size_t fewest = ~std::size_t{0};
      for (int x = 1; x <= each; ++x)
        for (int y = 1; y <= each / x; ++y) {
          const std::array<int, 3> tile{x, y, each / x / y}, p = grid.processes();
          if (tile[0] * tile[1] * tile[2] != each || p[0] % x != 0 || p[1] % y != 0 || p[2] % tile[2] != 0) continue;
          auto other = options;
          other.ranks = ranks_by_node(nodes, p, [&](const std::array<int, 3>& t) { return t == tile ? 0.0 : 1.0; });
          fewest = std::min(fewest, faces_between_nodes(grid, ranks, other, nodes));
        }
      EXPECT_EQ(points, fewest);
      EXPECT_LE(points, faces_between_nodes(grid, ranks, options, nodes));
    }
  EXPECT_TRUE(ranks_by_node({0, 0, 2, 2}, CartesianGrid(0, 4, {.extent = {8, 8}, .processes = {4, 1}})).empty());
  EXPECT_THAT(ranks_by_node({0, 1, 0, 1}, CartesianGrid(0, 4, {.extent = {8}})), ElementsAre(0, 2, 1, 3));
  EXPECT_TRUE(ranks_by_node({0, 0, 0, 3}, CartesianGrid(0, 4, {.extent = {8, 8}})).empty());  // nodes differ
}

TEST(HaloGrid, all_process_grids_come_by_surface) {
  const GridOptions options{.extent = {32, 32, 8}};
  const auto grids = process_grids(4, options);
  EXPECT_EQ(grids.size(), 6u);
  EXPECT_EQ(grids.front().processes, chosen(4, options));
  EXPECT_EQ(grids.front().surface, 256u);  // 16 x 16 x 8: one face of 16 x 8 points along x and along y
  for (std::size_t k = 1; k < grids.size(); ++k) EXPECT_GE(grids[k].surface, grids[k - 1].surface);
  EXPECT_EQ(process_grids(4, {.extent = {32, 32, 8}, .processes = {0, 1, 0}}).size(), 3u);
  EXPECT_THROW(process_grids(7, {.extent = {3, 3}}), Error);
}

TEST(HaloGrid, nodes_are_found) {
  run_in_process(6, [](Transport& world) { EXPECT_THAT(nodes_of(world), ElementsAre(0, 0, 2, 2, 4, 4)); },
                 {.ranks_per_node = 2});
}

}  // namespace
}  // namespace weft
