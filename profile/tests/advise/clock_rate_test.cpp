// SPDX-License-Identifier: BSD-3-Clause
#include "advise/clock_rate.hpp"

#include <gtest/gtest.h>

namespace weft::advise {
namespace {

TEST(AdviseClockRate, a_slower_half_of_the_run_is_seen_and_single_interrupts_are_not) {
  ClockRate changed, steady, few;
  for (int i = 0; i < 1000; ++i) {
    changed.add(i < 500 ? 4000 : 5000);
    steady.add(i % 23 == 7 ? 90000 : 4000);
    if (i < 9) few.add(1000 * (i + 1));
  }
  EXPECT_DOUBLE_EQ(changed.change(), 0.2);
  EXPECT_EQ(steady.change(), 0);
  EXPECT_EQ(few.change(), 0);
}

}  // namespace
}  // namespace weft::advise
