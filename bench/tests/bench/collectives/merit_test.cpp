// SPDX-License-Identifier: BSD-3-Clause
//
// Figures of merit and their confidence intervals, for times with known answers.
#include "bench/collectives/measure.hpp"

#include <gtest/gtest.h>

#include <random>

#include "bench/collectives/delay_pattern.hpp"
#include "bench/shared/statistics.hpp"
#include "weft/error.hpp"

namespace weft::bench {
namespace {

using collectives::delay_benefit, collectives::overlap_benefit;

std::vector<double> one_to(int n) {
  std::vector<double> numbers;
  for (int i = 1; i <= n; ++i) numbers.push_back(i);
  return numbers;
}

TEST(Merit, delay_benefit_is_nought_where_all_wait_for_the_late_one) {
  EXPECT_DOUBLE_EQ(delay_benefit(10, 100, 110), 0);
  EXPECT_DOUBLE_EQ(delay_benefit(10, 100, 100), 0.1);   // the collective took no time beyond the delay
  EXPECT_DOUBLE_EQ(delay_benefit(10, 100, 220), -0.5);  // a late rank makes it worse
}

TEST(Merit, overlap_benefit) {
  EXPECT_DOUBLE_EQ(overlap_benefit(10, 15, 25), 0);
  EXPECT_DOUBLE_EQ(overlap_benefit(10, 15, 15), 10.0 / 15);
}

TEST(Merit, interval_of_the_median_is_that_of_the_binomial_distribution) {
  // From tables: the 2nd and 9th of 10 samples, the 6th and 15th of 20, the 40th and 61st of 100.
  for (const auto& [n, low, high] : {std::tuple(5, 1, 5), std::tuple(6, 1, 6), std::tuple(10, 2, 9),
                                     std::tuple(20, 6, 15), std::tuple(100, 40, 61)}) {
    const auto interval = median_interval(one_to(n));
    EXPECT_EQ(interval.low, low) << n;
    EXPECT_EQ(interval.high, high) << n;
  }
  EXPECT_EQ(median_interval({}).high, 0);
  EXPECT_EQ(median_interval({3}).low, 3);
  EXPECT_GT(median_interval(one_to(5000)).low, 2400);  // although 2^-5000 underflows
}

TEST(Merit, interval_of_the_median_holds_it_as_often_as_it_says) {
  std::mt19937_64 numbers(5);
  std::exponential_distribution<double> times;  // skewed, as measured times are
  int inside = 0;
  for (int t = 0; t < 1000; ++t) {
    std::vector<double> samples(30);
    for (auto& s : samples) s = times(numbers);
    const auto i = median_interval(samples);
    if (i.low <= std::log(2.0) && std::log(2.0) <= i.high) ++inside;
  }
  EXPECT_GE(inside, 940);
  EXPECT_LE(inside, 980);  // the true level with 30 samples is 95.7 %
}

TEST(Merit, within_looks_to_both_sides) {
  EXPECT_TRUE(within({9.5, 10.5}, 10, 0.05));
  EXPECT_FALSE(within({9.4, 10.1}, 10, 0.05));
  EXPECT_FALSE(within({9.9, 10.6}, 10, 0.05));
}

TEST(Merit, outliers_are_marked_by_place) {
  auto samples = one_to(20);
  samples[3] = 500;
  EXPECT_EQ(outliers(samples), std::vector<std::size_t>{3});
  EXPECT_TRUE(outliers({1, 1, 1}).empty());
}

TEST(Merit, bootstrap_of_equal_times_is_sure) {
  const auto beta = [](const auto& t) { return overlap_benefit(t[0], t[1], t[2]); };
  const auto e = bootstrap({{10, 10, 10}, {15, 15}, {20, 20, 20}}, beta, 1);
  EXPECT_DOUBLE_EQ(e.value, 0.25);
  EXPECT_DOUBLE_EQ(e.interval.low, 0.25);
  EXPECT_DOUBLE_EQ(e.interval.high, 0.25);
}

TEST(Merit, bootstrap_holds_the_true_ratio_and_narrows_with_more_samples) {
  std::mt19937_64 numbers(3);
  std::lognormal_distribution<double> noise(0, 0.1);  // its median is 1
  const auto width = [&](std::size_t n) {
    std::vector<std::vector<double>> sets(2, std::vector<double>(n));
    for (auto& t : sets[0]) t = 10 * noise(numbers);
    for (auto& t : sets[1]) t = 100 * noise(numbers);
    const auto e = bootstrap(
        sets, [](const auto& t) { return delay_benefit(t[0], 100, t[1]); }, 7, 400);
    EXPECT_LE(e.interval.low, 0.1);
    EXPECT_GE(e.interval.high, 0.1);
    EXPECT_LE(e.interval.low, e.spread.low);
    EXPECT_GE(e.interval.high, e.spread.high);
    EXPECT_EQ(e.spread.median, e.value);
    return e.interval.high - e.interval.low;
  };
  const double few = width(20), many = width(500);
  EXPECT_LT(many, few / 2);
}

TEST(Merit, bootstrap_is_the_same_for_the_same_seed) {
  const auto of = [](std::uint64_t seed) {
    return bootstrap(
               {one_to(30), one_to(40)}, [](const auto& m) { return m[0] / m[1]; }, seed)
        .interval.low;
  };
  EXPECT_EQ(of(1), of(1));
  EXPECT_EQ(bootstrap(
                {{}, {1}}, [](const auto& m) { return m[0]; }, 1)
                .value,
            0);  // without measurements there is no figure
}

TEST(DelayPattern, is_read_from_lines_of_shares) {
  const auto pattern = collectives::read_delay_pattern("# ranks 0 1 2\n0 0.5 1\n\n1 0 0  # the first\n", 3);
  EXPECT_EQ(pattern, (collectives::DelayPattern{{0, 0.5, 1}, {1, 0, 0}}));
}

TEST(DelayPattern, refuses_what_is_none) {
  for (const auto* text :
       {"", "# nothing\n", "0 1\n", "0 1 x\n", "0 0 0\n", "1 1 1\n", "0 1 2\n", "0 -1 1\n", "0 0 nan\n"})
    EXPECT_THROW(collectives::read_delay_pattern(text, 3), InputError) << text;
}

}  // namespace
}  // namespace weft::bench
