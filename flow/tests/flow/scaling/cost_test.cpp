// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "flow/scaling/cost.hpp"

namespace weft::flow {

// The expected duration of a run, from artificial probes.

namespace {

TEST(RunTime, probes_of_an_idle_machine_agree) {
  const auto times = step_times_of(std::vector<Probe>{{0.010, 0.010}, {0.011, 0.0109}, {0.010, 0.010}});
  EXPECT_DOUBLE_EQ(times.quick, 0.010);
  EXPECT_DOUBLE_EQ(times.usual, 0.010);
  EXPECT_DOUBLE_EQ(times.slow, 0.011);
  EXPECT_DOUBLE_EQ(times.core_share(), 1);
}

// Other processes used two thirds of the cores.
TEST(RunTime, a_busy_machine_makes_the_range_wide) {
  const auto times = step_times_of(std::vector<Probe>{{0.031, 0.0101}, {0.020, 0.0100}, {0.045, 0.0102}});
  EXPECT_DOUBLE_EQ(times.quick, 0.010);
  EXPECT_DOUBLE_EQ(times.usual, 0.031);
  EXPECT_DOUBLE_EQ(times.slow, 0.045);
  EXPECT_NEAR(times.core_share(), 0.32, 0.01);
  const auto time = run_time_of(times, 10000, 5, true);
  EXPECT_LT(time.low, 100);
  EXPECT_GT(time.high, 450);
  EXPECT_DOUBLE_EQ(time.usual, 315);
  EXPECT_GT(run_time_of(times, 10000, 5, false).high, time.high);  // without messages
}

TEST(RunTime, a_rank_that_waits_uses_the_processor_too) {
  const auto times = step_times_of(std::vector<Probe>{{0.02, 0}, {0.03, 0.05}});
  EXPECT_DOUBLE_EQ(times.quick, 0.02);
}

TEST(RunTime, is_told_as_a_range) {
  const auto text = [](double low, double high) { return RunTime{low, high, low}.text(); };
  EXPECT_EQ(text(720, 1200), "12 to 20 minutes");
  EXPECT_EQ(text(720, 721), "about 12 minutes");
  EXPECT_EQ(text(50, 150), "50 seconds to 2.5 minutes");
  EXPECT_EQ(text(3600 * 1.0, 3600 * 2.0), "60 minutes to 2 hours");
  EXPECT_EQ(text(3600 * 24 * 0.4, 3600 * 24 * 40.0), "9.6 hours to 40 days");
  EXPECT_EQ(text(0.1, 0.2), "less than a second");
}

}  // namespace

}  // namespace weft::flow
