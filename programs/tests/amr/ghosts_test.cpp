// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "amr/sibling_ghosts.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::amr {
namespace {

// A number that is unique to a cell, field and level, and the same on any rank.
double mark(const Domain& domain, int level, std::array<int, 3> global, int field) {
  double number = field;
  for (std::size_t a = 0; a < 3; ++a) {
    const int n = domain.blocks[a] * domain.cells << level;
    number = number * 1024 + (global[a] + n) % n;
  }
  return number;
}

std::array<int, 3> global_of(const BlockData& block, int i, int j, int k) {
  const int n = block.shape->n;
  return {block.key.at[0] * n + i, block.key.at[1] * n + j, block.key.at[2] * n + k};
}

TEST(SiblingGhosts, fill_every_ghost_that_a_level_covers) {
  const Domain domain{.blocks = {3, 2, 1}, .periodic = {true, true, true}, .cells = 8};
  const std::vector<BlockKey> refined{{0, {0, 0, 0}}, {0, {1, 0, 0}}};
  for (const int ranks : {1, 2, 3, 4})
    for (const auto grouping : {Grouping::per_peer, Grouping::per_part})
      run_in_process(ranks, [&](Transport& world) {
        Hierarchy h(world, Tree(domain, refined, ranks), 3);
        for (int level = 0; level < 2; ++level) {
          for (const auto& block : h.local(level))
            for (int f = 0; f < 3; ++f)
              for (int k = 0; k < 8; ++k)
                for (int j = 0; j < 8; ++j)
                  for (int i = 0; i < 8; ++i)
                    block.cell(f, i, j, k) = mark(domain, level, global_of(block, i, j, k), f);
          SiblingGhosts ghosts(h, level, 1, 2, SiblingGhosts::Reach::all,
                               ExchangeOptions{.messages = {.grouping = grouping}});
          ghosts.start();
          ghosts.ready_all();
          ghosts.wait();
          const auto local = h.local(level);
          for (std::size_t b = 0; b < local.size(); ++b) {
            ghosts.copy(b);
            for (int number = 0; number < Direction::count; ++number) {
              const auto box = ghost_box(Direction::of(number), 8);
              const bool filled = number == Direction::self || (ghosts.filled(b) >> number & 1) != 0;
              for (int f = 0; f < 3; ++f)
                for (int k = 0; k < box.count[2]; ++k)
                  for (int j = 0; j < box.count[1]; ++j)
                    for (int i = 0; i < box.count[0]; ++i) {
                      const int x = box.first[0] + i, y = box.first[1] + j, z = box.first[2] + k;
                      const bool there = number == Direction::self || (filled && f > 0);
                      const double expected = there ? mark(domain, level, global_of(local[b], x, y, z), f) : 0;
                      ASSERT_EQ(local[b].cell(f, x, y, z), expected) << level << ' ' << number << ' ' << ranks;
                    }
            }
          }
        }
      });
}

TEST(Hierarchy, keeps_the_cells_of_blocks_that_stay) {
  run_in_process(1, [&](Transport& world) {
    const Domain domain{.blocks = {2, 2, 2}, .cells = 8};
    const std::vector<BlockKey> one{{0, {0, 0, 0}}}, other{{0, {0, 0, 0}}, {0, {1, 1, 1}}};
    Hierarchy h(world, Tree(domain, one, 1), 1);
    for (const auto& block : h.local(1)) block.cell(0, 1, 2, 3) = 7 + block.key.at[0];
    h.replace(Tree(domain, other, 1));
    ASSERT_EQ(h.local(1).size(), 16U);
    for (const auto& block : h.local(1))
      EXPECT_EQ(block.cell(0, 1, 2, 3), block.key.at[0] < 2 ? 7 + block.key.at[0] : 0);
  });
}

}  // namespace
}  // namespace weft::amr
