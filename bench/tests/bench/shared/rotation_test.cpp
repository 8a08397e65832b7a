// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shared/rotation.hpp"

#include <gtest/gtest.h>

#include <set>

#include "weft/transport/in_process.hpp"

namespace weft::bench {
namespace {

TEST(Rotation, gives_each_a_sample_a_turn_whatever_the_time) {
  run_in_process(2, [](Transport& transport) {
    std::string order;
    std::vector<Timed> all;
    for (const char* name : {"a", "b", "c"})
      all.push_back({name, [&order, name] {
                       if (order.empty() || order.back() != *name) order += *name;
                     }});
    time_in_turns(transport, all, {.seconds = 1e-9, .fewest = 6, .most = 6});
    for (const auto& one : all) EXPECT_EQ(one.seconds.size(), 6);
    std::set<std::string> followed;
    for (std::size_t i = 3; i + 1 < order.size(); ++i) followed.insert(order.substr(i, 2));
    EXPECT_EQ(followed.size(), 6) << "each comes after each other: " << order;
  });
}

TEST(Rotation, ratios_are_of_the_same_turn) {
  const Timed a{"a", {}, {2, 4, 8}}, b{"b", {}, {1, 2, 4}};
  EXPECT_DOUBLE_EQ(ratio(a, b).median, 2);
  EXPECT_DOUBLE_EQ(ratio(a, b).high, 2);
  EXPECT_DOUBLE_EQ(scaled(b.spread(), 3).median, 6);
  const auto rate = inverse(a.spread(), 8);
  EXPECT_DOUBLE_EQ(rate.median, 2);
  EXPECT_LT(rate.low, rate.high);
}

}  // namespace
}  // namespace weft::bench
