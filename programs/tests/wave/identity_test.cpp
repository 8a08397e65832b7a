// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "programs/tests/wave/wave_run.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using Kind = ProgressOptions::Kind;

TEST(WaveIdentity, any_number_of_ranks_gives_the_same_bits) {
  const auto c = busy_case();
  const auto one = end_of(1, c, 5, 3);
  EXPECT_GT(one.regrids, 0);
  EXPECT_EQ(one.readings.back().blocks.size(), 3U);
  for (const int ranks : {2, 3, 4}) expect_same(end_of(ranks, c, 5, 3), one, std::to_string(ranks));
}

TEST(WaveIdentity, ways_to_communicate_and_readings_do_not_matter) {
  auto c = busy_case();
  c.refinement.levels = 1;
  const auto one = end_of(1, c, 3, 3);
  EXPECT_GT(one.regrids, 0);
#if defined(__SANITIZE_THREAD__)
  const std::vector<int> numbers = {3};  // only 3, where a rank has two neighbours: it takes ten times as long
#else
  const std::vector<int> numbers = {1, 2, 3, 4};
#endif
  for (const int ranks : numbers)
    for (const auto grouping : {Grouping::per_peer, Grouping::per_part, Grouping::by_size}) {
      const auto what = [&](const std::string& how) {
        return how + ", " + name_of(grouping) + ", on " + std::to_string(ranks);
      };
      for (const auto kind : {Kind::polling, Kind::thread})
        expect_same(end_of(ranks, c, 3, 3, {.messages = {.grouping = grouping}}, {.kind = kind}), one,
                    what(name_of(kind)));
      for (const int threads : {1, 2})
        expect_same(end_of(ranks, c, 3, 3, {.messages = {.grouping = grouping, .defer_unpacking = threads == 1}},
                           {.kind = Kind::send_receive_threads, .threads = threads}),
                    one, what(std::to_string(threads) + " threads"));
    }
  expect_same(end_of(3, c, 3, 3, {.messages = {.defer_unpacking = true}}, {.kind = Kind::passive}), one,
              "passive and deferred");
  c.curve = amr::Curve::morton;
  EXPECT_TRUE(end_of(4, c, 3, 3).cells == one.cells);  // the order of the sums is that of the curve
  EXPECT_TRUE(end_of(2, c, 3, 1).cells == one.cells);
}

}  // namespace
}  // namespace weft
