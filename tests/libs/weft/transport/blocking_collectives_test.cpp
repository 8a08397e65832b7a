// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/core_ranks.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;

TEST(BlockingCollectives, give_what_their_names_say) {
  on(any_ranks, [](Transport& world) {
    const int rank = world.rank(), size = world.size(), last = size - 1;
    EXPECT_EQ(all_reduce(world, rank + 1, sum<int>()), size * (size + 1) / 2);
    EXPECT_EQ(all_reduce(world, 1.5 + rank, maximum<double>()), 1.5 + last);
    EXPECT_EQ(all_reduce(world, static_cast<short>(rank), minimum<short>()), 0);  // no built-in type of MPI's for us

    // Rank r has r values.
    const std::vector<int> mine(static_cast<std::size_t>(rank), rank);
    std::vector<int> all;
    for (int r = 0; r < size; ++r) all.insert(all.end(), static_cast<std::size_t>(r), r);
    EXPECT_EQ(all_gather(world, mine), all);
    EXPECT_EQ(all_gather(world, rank), [&] {
      std::vector<int> ranks;
      for (int r = 0; r < size; ++r) ranks.push_back(r);
      return ranks;
    }());
    const auto gathered = gather(world, mine, last);
    ASSERT_EQ(gathered.size(), rank == last ? static_cast<std::size_t>(size) : 0u);
    for (std::size_t r = 0; r < gathered.size(); ++r) EXPECT_EQ(gathered[r], std::vector<int>(r, static_cast<int>(r)));

    // Rank r sends s values 10 r + s to rank s.
    std::vector<std::vector<int>> out;
    for (int s = 0; s < size; ++s) out.emplace_back(static_cast<std::size_t>(s), 10 * rank + s);
    const auto in = all_to_all(world, out);
    for (int r = 0; r < size; ++r)
      EXPECT_EQ(in[static_cast<std::size_t>(r)], std::vector<int>(static_cast<std::size_t>(rank), 10 * r + rank));

    EXPECT_EQ(broadcast(world, std::string(rank == last ? "from the last" : ""), last), "from the last");
    const auto texts = all_gather(world, std::string(static_cast<std::size_t>(rank), 'x'));
    for (std::size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], std::string(r, 'x'));
    barrier(world);
  });
}

}  // namespace
}  // namespace weft
