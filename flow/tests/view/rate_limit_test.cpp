// SPDX-License-Identifier: BSD-3-Clause
#include "view/rate_limit.hpp"

#include <gtest/gtest.h>

namespace weft::view {
namespace {

using Verdict = RateLimit::Verdict;

TEST(RateLimit, takes_what_is_within_it) {
  RateLimit limit(200);
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(limit.judge(i / 199.0), Verdict::take);
}

TEST(RateLimit, refuses_once_then_drops_then_closes) {
  RateLimit limit(200);
  int taken = 0, refused = 0, dropped = 0;
  for (;;) {
    const auto verdict = limit.judge(1);
    if (verdict == Verdict::close) break;
    ++(verdict == Verdict::take ? taken : verdict == Verdict::refuse ? refused : dropped);
  }
  EXPECT_EQ(taken, 200);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(dropped, 999);
}

TEST(RateLimit, forgives_who_slows_down) {
  RateLimit limit(10);
  double now = 0;
  for (int burst = 0; burst < 20; ++burst, now += 10) {
    for (int i = 0; i < 20; ++i) EXPECT_NE(limit.judge(now), Verdict::close);
    for (int i = 0; i < 40; ++i) EXPECT_EQ(limit.judge(now += 0.2), Verdict::take);
  }
}

}  // namespace
}  // namespace weft::view
