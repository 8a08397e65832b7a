// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

namespace weft {
namespace {

using namespace weft::testing;

// Each rank has a message for any other rank or for itself, or none; of any size, also above the eager limit.
TEST(Sparse, everything_comes_to_whom_it_is_for) {
  on(any_ranks, [](Transport& world) {
    const auto size_of = [](std::uint64_t round, int from, int to) -> std::size_t {
      const auto h = hash({round, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)});
      return h % 3 == 0 ? 0 : h % 7 == 0 ? 200000 + h % 1000 : h % 100;
    };
    for (std::uint64_t round = 0; round < 20; ++round) {
      BytesByRank out;
      for (int r = 0; r < world.size(); ++r)
        if (const auto n = size_of(round, world.rank(), r); n > 0)
          out[r].assign(n, static_cast<std::byte>(world.rank() * 16 + r));
      int number = static_cast<int>(hash({round, static_cast<std::uint64_t>(world.rank())}) % 1000);
      const int largest = all_reduce(world, number, maximum<int>());
      const auto in = sparse_all_to_all(world, out, static_cast<int>(round % 2), &number);
      EXPECT_EQ(number, largest);
      BytesByRank expected;
      for (int r = 0; r < world.size(); ++r)
        if (const auto n = size_of(round, r, world.rank()); n > 0)
          expected[r].assign(n, static_cast<std::byte>(r * 16 + world.rank()));
      EXPECT_EQ(in, expected) << "round " << round;
    }
  });
}

}  // namespace
}  // namespace weft
