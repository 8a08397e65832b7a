// SPDX-License-Identifier: BSD-3-Clause
//
// When a run's start has died away, from made monitor rows.
#include "flow/summary/history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>

#include "flow/steering/monitor.hpp"
#include "tests/support/scratch.hpp"

namespace weft::flow::summary {
namespace {

constexpr double interval = 0.001, end = 1;

// An inlet with a flow and pressure over time, and an outlet at 0 Pa that takes this flow.
std::optional<double> start_over(double period, const std::function<double(double)>& flow,
                                 const std::function<double(double)>& pressure) {
  const test::Scratch scratch;
  const auto columns = monitor_columns({"in", "out"});
  std::ofstream file(scratch.path() / "monitors.csv");
  for (std::size_t i = 0; i < columns.size(); ++i) file << (i > 0 ? "," : "") << columns[i];
  for (int k = 1; k * interval <= end + interval / 2; ++k) {
    const double t = k * interval;
    file << "\n" << k << "," << t << ",1,1,0.1,1,0,0," << flow(t) << "," << pressure(t) << "," << -flow(t) << ",0";
  }
  file << "\n";
  file.close();
  return read_history({.stem = scratch.path() / "monitors",
                       .columns = columns,
                       .openings = 2,
                       .root = 0,
                       .period = period,
                       .row_seconds = interval,
                       .end_s = end})
      .start_over_s;
}

double steady(double /*t*/) { return 2; }

TEST(History, a_steady_run_says_when_its_start_has_died_away) {
  const auto ringing = [](double tau) {
    return [tau](double t) { return 100 + 20 * std::exp(-t / tau) * std::cos(400 * t); };
  };
  const auto found = start_over(0, steady, ringing(0.1));
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(*found, 0.1 * std::log(20), 0.01);  // 1 % of 100
  EXPECT_FALSE(start_over(0, steady, ringing(1)).has_value());
  EXPECT_EQ(start_over(0, steady, steady), 0);
  // the pressures stand, the flow does not
  const auto rising = start_over(
      0, [](double t) { return 2 - std::exp(-t / 0.1); }, steady);
  ASSERT_TRUE(rising.has_value());
  EXPECT_NEAR(*rising, 0.1 * std::log(50), 0.01);
}

TEST(History, a_pulsed_run_compares_each_time_with_the_beat_before) {
  const auto pulse = [](double t) { return std::sin(2 * std::numbers::pi * t / 0.16); };
  const auto with_start = [&](double size, double tau) {
    return [=](double t) { return 100 + 50 * pulse(t) + size * std::exp(-t / tau); };
  };
  const auto found = start_over(0.16, pulse, with_start(20, 0.1));
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(*found, 0.1 * std::log(20 * (std::exp(1.6) - 1) / 1.5), 0.01);  // the range is 150
  EXPECT_FALSE(start_over(0.16, pulse, with_start(40, 1)).has_value());
  const auto at_once = start_over(0.16, pulse, [&](double t) { return 100 + pulse(t); });
  ASSERT_TRUE(at_once.has_value());
  EXPECT_LT(*at_once, 0.165);  // the first beat has none before it
}

}  // namespace
}  // namespace weft::flow::summary
