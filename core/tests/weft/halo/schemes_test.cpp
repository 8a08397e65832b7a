// SPDX-License-Identifier: BSD-3-Clause
//
// Every scheme, payload, layout and width on many process grids: every ghost gets the value of its grid point, and no
// other memory changes.
#include <gtest/gtest.h>

#include "tests/support/core_ranks.hpp"
#include "tests/support/halo_fields.hpp"

namespace weft {
namespace {

using namespace weft::testing;

void try_grid(int ranks, const GridOptions& options, std::size_t width, const InProcessOptions& arrival = {}) {
  SCOPED_TRACE("width " + std::to_string(width) + ", ranks " + ::testing::PrintToString(options.processes) +
               ", periodic " + ::testing::PrintToString(options.periodic));
  run_in_process(
      ranks, [&](Transport& world) { expect_all_ways(world, options, width); }, arrival);
}

void try_processes(const std::vector<int>& processes) {
  int ranks = 1;
  for (const int p : processes) ranks *= p;
  const std::vector<std::size_t> extent{7, 5, 4};
  for (const std::size_t width : {1u, 2u})
    for (const std::vector<bool>& periodic : {std::vector<bool>{true, true, true}, {}, {false, true}})
      try_grid(ranks, {.extent = extent, .processes = processes, .periodic = periodic}, width);
}

TEST(HaloSchemes, one_rank_is_its_own_neighbour) { try_processes({1, 1, 1}); }
TEST(HaloSchemes, two_ranks_are_both_neighbours_of_each_other) { try_processes({2, 1, 1}); }
TEST(HaloSchemes, four_ranks) { try_processes({2, 2, 1}); }
TEST(HaloSchemes, six_ranks_with_uneven_blocks) { try_processes({3, 2, 1}); }
TEST(HaloSchemes, eight_ranks) { try_processes({2, 2, 2}); }
TEST(HaloSchemes, twelve_ranks_with_uneven_blocks) { try_processes({3, 2, 2}); }

TEST(HaloSchemes, as_wide_as_the_block) {
  const std::vector<bool> periodic{true, true, true};
  try_grid(1, {.extent = {3, 3, 3}, .processes = {1, 1, 1}, .periodic = periodic}, 3);
  try_grid(2, {.extent = {6, 3, 3}, .processes = {2, 1, 1}, .periodic = periodic}, 3);
  try_grid(3, {.extent = {1, 4, 3}, .processes = {1, 1, 3}, .periodic = periodic}, 1);
  try_grid(1, {.extent = {1, 1, 1}, .processes = {1, 1, 1}}, 4);  // no neighbours: any width
}

TEST(HaloSchemes, in_one_and_two_dimensions) {
  try_grid(1, {.extent = {5}, .periodic = {true}}, 2);
  try_grid(3, {.extent = {11}, .processes = {3}, .periodic = {true}}, 3);
  try_grid(3, {.extent = {11}, .processes = {3}}, 1);
  try_grid(2, {.extent = {5, 6}, .processes = {1, 2}, .periodic = {true, true}}, 2);
  try_grid(6, {.extent = {7, 6}, .processes = {3, 2}, .periodic = {false, true}}, 2);
}

TEST(HaloSchemes, messages_arrive_in_any_order) {
  try_grid(4, {.extent = {5, 5, 3}, .processes = {2, 2, 1}, .periodic = {true, false, true}}, 2, random_arrival(7));
  try_grid(6, {.extent = {3, 5, 4}, .processes = {3, 1, 2}, .periodic = {true, true, true}}, 1, random_arrival(8));
}

}  // namespace
}  // namespace weft
