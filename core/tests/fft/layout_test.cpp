// SPDX-License-Identifier: BSD-3-Clause
//
// The points of each rank.
#include "fft/layout.hpp"

#include <gtest/gtest.h>

#include "weft/error.hpp"

namespace weft::fft {
namespace {

TEST(Layout, blocks_are_even_and_whole) {
  for (std::size_t points = 0; points < 12; ++points)
    for (std::size_t parts = 1; parts < 6; ++parts) {
      std::size_t next = 0;
      for (std::size_t p = 0; p < parts; ++p) {
        const auto b = block(points, parts, p);
        EXPECT_EQ(b.first, next);
        EXPECT_TRUE(b.count == points / parts || b.count == points / parts + 1);
        next += b.count;
      }
      EXPECT_EQ(next, points);
    }
}

TEST(Layout, sizes_are_read) {
  EXPECT_EQ(size_named("64"), (Size3{64, 64, 64}));
  EXPECT_EQ(size_named("7x5x3"), (Size3{7, 5, 3}));
  for (const char* wrong : {"", "x", "0", "4x0x4", "4x4", "4x4x", "4x4x4x4", "-4x4x4", "4.0", "99999999999x1x1"})
    EXPECT_THROW(size_named(wrong), InputError) << wrong;
}

TEST(Layout, grids_of_ranks) {
  const auto slabs = make_grid({8, 8, 8}, 6, 4, Decomposition::automatic);
  EXPECT_EQ(slabs.rows, 6u);
  EXPECT_EQ(slabs.columns, 1u);
  const auto pencils = make_grid({4, 4, 4}, 12, 7, Decomposition::automatic);
  EXPECT_EQ(pencils.rows, 3u);
  EXPECT_EQ(pencils.columns, 4u);
  EXPECT_EQ(pencils.row, 1u);
  EXPECT_EQ(pencils.column, 3u);
  EXPECT_THROW(make_grid({4, 4, 4}, 6, 0, Decomposition::pencils, 4), Error);
  EXPECT_THROW(decomposition_names.named("cubes"), InputError);
}

}  // namespace
}  // namespace weft::fft
