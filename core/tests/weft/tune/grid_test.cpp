// SPDX-License-Identifier: BSD-3-Clause
//
// Process grids and orders of ranks: the candidates, and a choice that the next run finds again.
#include "weft/tune/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/core_ranks.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Setting setting(const std::string& processes, const std::string& order = "row_major") {
  return {{"processes", processes}, {"rank_order", order}};
}

TEST(TuneGrid, candidates_are_the_grids_of_little_surface_in_both_orders) {
  run_in_process(
      16,
      [](Transport& world) {
        const GridOptions square{.extent = {64, 64}};
        const auto first = setting("4x4"), second = setting("4x4", "by_node"), third = setting("8x2"),
                   fourth = setting("8x2", "by_node"), fifth = setting("2x8");
        EXPECT_THAT(grid_candidates(world, square),
                    ElementsAre(first, second, third, fourth, fifth, setting("16x1"), setting("1x16")));
        EXPECT_THAT(grid_candidates(world, square, 5), ElementsAre(first, second, third, fourth, fifth));
        EXPECT_THAT(grid_candidates(world, square, 1, 2), ElementsAre(first, second, third, fourth));
        auto options = square;
        options.processes = {2};
        EXPECT_THAT(grid_candidates(world, options), ElementsAre(setting("2x8")));
        EXPECT_THAT(grid_candidates(world, {.extent = {64, 16}}),
                    ElementsAre(setting("8x2"), setting("16x1"), setting("4x4")));
        EXPECT_THAT(grid_candidates(world, {.lengths = {{10, 20, 30, 4}, {8, 8, 8, 8}}}), ElementsAre(first, second));

        options = square;
        apply(second, world, options);
        EXPECT_THAT(options.processes, ElementsAre(4, 4));
        EXPECT_THAT(options.ranks, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
        apply(first, world, options);
        EXPECT_TRUE(options.ranks.empty());
      },
      {.ranks_per_node = 4});
}

TEST(TuneGrid, wrong_values_are_refused) {
  on(any_ranks, [](Transport& world) {
    GridOptions options{.extent = {8, 8}};
    for (const char* wrong : {"", "x", "2x", "x2", "2y2", "-1x1", "2 x 2", "99999999999"})
      EXPECT_THAT(error_of([&] { apply({{"processes", wrong}}, world, options); }), HasSubstr("such as 4x2x1"));
    EXPECT_THAT(error_of([&] { apply({{"rank_order", "random"}}, world, options); }), HasSubstr("by_node"));
  });
}

// Ghost points hold the number of their owner's point, in every candidate.
TEST(TuneGrid, every_candidate_fills_the_same_ghost_points) {
  run_in_process(8,
                 [](Transport& world) {
                   const GridOptions options{.extent = {12, 10, 9}, .periodic = {true, true, true}};
                   for (const auto& candidate : grid_candidates(world, options, 2, 20))
                     for (const auto scheme : {HaloOptions::Scheme::direct, HaloOptions::Scheme::by_dimension}) {
                       auto with = options;
                       apply(candidate, world, with);
                       Halo halo(CartesianGrid(world, with), {.width = 2, .scheme = scheme});
                       const auto [first, count] = halo.grid().block();
                       const Index n{count[0] + 4, count[1] + 4, count[2] + 4};
                       std::vector<std::size_t> field(n[0] * n[1] * n[2]);
                       halo.add(scalar(field.data()));
                       std::size_t wrong = 0;
                       const auto visit = [&](bool fills) {
                         for (std::size_t i = 0; i < field.size(); ++i) {
                           const Index at{i / n[2] / n[1], i / n[2] % n[1], i % n[2]};
                           std::size_t number = 0;
                           bool inside = true;
                           for (std::size_t a = 0; a < 3; ++a) {
                             const auto extent = options.extent[a];
                             number = number * extent + (first[a] + at[a] + extent - 2) % extent;
                             inside = inside && at[a] >= 2 && at[a] < count[a] + 2;
                           }
                           if (fills && inside) field[i] = number;
                           if (!fills) wrong += field[i] != number;
                         }
                       };
                       visit(true);
                       HaloExchange exchange(world, halo);
                       exchange.start();
                       exchange.finish();
                       visit(false);
                       EXPECT_EQ(wrong, 0u) << text_of(candidate);
                     }
                 },
                 {.ranks_per_node = 2});
}

TEST(TuneGrid, a_choice_is_stored_and_found_again) {
  on(2_ranks, [](Transport& world) {
    const test::SharedScratch scratch(world);
    const Tuning::Options how{.halving = {.repetitions = 1}, .sample_seconds = 0, .file = scratch.path / "tuned.toml"};
    const GridOptions given{.extent = {16, 12}, .periodic = {true, false}};
    auto options = given, again = given, other = given;
    const auto text = tune(world, options, {.width = 2}, 16, how);
    EXPECT_THAT(text, StartsWith("chosen in "));
    EXPECT_THAT(text, HasSubstr("the baseline"));
    EXPECT_EQ(CartesianGrid(world, options).ranks(), world.size());
    EXPECT_EQ(options.processes.size(), 2u);
    EXPECT_THAT(tune(world, again, {.width = 2}, 16, how), StartsWith("stored"));
    EXPECT_EQ(again.processes, options.processes);
    EXPECT_EQ(again.ranks, options.ranks);
    EXPECT_THAT(tune(world, other, {.width = 2}, 8, how), StartsWith("chosen in "));  // another problem
    EXPECT_THAT(error_of([&] { tune(world, other, {.width = 9}, 8, how); }), HasSubstr("9"));
  });
}

}  // namespace
}  // namespace weft
