// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "flow/summary/convergence_table.hpp"

namespace weft::flow {

namespace {

using Outcome = GridConvergence::Outcome;

std::vector<double> manufactured(double f0, double c, double p, const std::vector<double>& voxels) {
  std::vector<double> results;
  for (const double h : voxels) results.push_back(f0 + c * std::pow(h, p));
  return results;
}

TEST(GridConvergence, finds_the_order_and_the_limit_of_a_series_that_has_them) {
  for (const auto& voxels : {std::vector{1.0, std::sqrt(2.0), 2.0}, {1.0, 1.3, 1.9}, {0.4, 0.8, 0.9}, {1.0, 1.1, 3.0}})
    for (const double p : {0.6, 1.0, 1.5, 2.0})
      for (const double c : {0.3, -0.02}) {
        const auto results = manufactured(4, c, p, voxels);
        const auto found = grid_convergence(results, voxels);
        ASSERT_EQ(found.outcome, Outcome::monotone) << p << " " << c;
        EXPECT_NEAR(found.apparent_order, p, 1e-8);
        EXPECT_NEAR(found.order, p, 1e-8);
        EXPECT_NEAR(found.extrapolated, 4, 1e-8);
        EXPECT_NEAR(found.index, 1.25 * std::abs(results[0] - 4) / results[0], 1e-8);
      }
}

// Table 1 of Celik et al.: a reattachment length.
TEST(GridConvergence, gives_what_the_procedures_paper_gives) {
  const auto found = grid_convergence(std::array{6.063, 5.972, 5.863}, std::array{1.0, 1.5, 2.0});
  EXPECT_EQ(found.outcome, Outcome::monotone);
  EXPECT_NEAR(found.apparent_order, 1.53, 0.01);
  EXPECT_NEAR(found.extrapolated, 6.1685, 1e-3);
  EXPECT_NEAR(found.index, 0.022, 1e-3);
}

TEST(GridConvergence, an_order_above_the_formal_one_counts_as_that) {
  const std::array voxels{1.0, 2.0, 4.0};
  const auto found = grid_convergence(manufactured(1, 0.001, 5, {1.0, 2.0, 4.0}), voxels);
  EXPECT_NEAR(found.apparent_order, 5, 1e-8);
  EXPECT_EQ(found.order, 2);
  EXPECT_NEAR(found.index, 1.25 * (0.031 / 3) / 1.001, 1e-12);
  // The two finer results are identical: there is no apparent order, and the index is 0.
  const auto agree = grid_convergence(std::array{1.0, 1.0, 1.2}, voxels);
  EXPECT_EQ(agree.outcome, Outcome::monotone);
  EXPECT_TRUE(std::isnan(agree.apparent_order));
  EXPECT_EQ(agree.index, 0);
}

TEST(GridConvergence, gives_no_number_where_no_order_fits) {
  const std::array voxels{1.0, 2.0, 4.0};
  for (const auto& [results, outcome] : {std::pair{std::array{1.0, 1.1, 1.05}, Outcome::oscillatory},
                                         {std::array{1.0, 0.9, 1.3}, Outcome::oscillatory},
                                         {std::array{1.0, 1.2, 1.3}, Outcome::diverging},
                                         {std::array{1.0, 1.1, 1.2}, Outcome::diverging},
                                         {std::array{1.0, 1.1, 1.1}, Outcome::diverging}}) {
    const auto found = grid_convergence(results, voxels);
    EXPECT_EQ(found.outcome, outcome) << results[1] << " " << results[2];
    EXPECT_FALSE(found.is_known());
    EXPECT_TRUE(std::isnan(found.index));
    EXPECT_TRUE(std::isnan(found.extrapolated));
  }
  // At this low order the extrapolated limit would be ten times the difference away.
  const auto slow = grid_convergence(manufactured(1, 0.1, 0.12, {1.0, 2.0, 4.0}), voxels);
  EXPECT_EQ(slow.outcome, Outcome::diverging);
  EXPECT_NEAR(slow.apparent_order, 0.12, 1e-8);
  EXPECT_TRUE(std::isnan(slow.extrapolated));
  // With unequal ratios the differences may decrease more slowly than the voxels; then there is no order.
  EXPECT_EQ(grid_convergence(std::array{1.0, 1.1, 1.3}, std::array{1.0, 1.1, 2.0}).outcome, Outcome::diverging);
}

TEST(GridConvergence, equal_results_have_an_index_of_nothing) {
  for (const double value : {3.0, 0.0, -2.5})
    for (const double noise : {0.0, 1e-7}) {
      const auto found =
          grid_convergence(std::array{value, value * (1 + noise), value * (1 - noise)}, std::array{1.0, 2.0, 4.0});
      EXPECT_EQ(found.outcome, Outcome::equal);
      EXPECT_EQ(found.index, 0);
      EXPECT_EQ(found.extrapolated, value);
    }
}

TEST(GridConvergence, two_grids_assume_the_formal_order_and_a_larger_factor) {
  const auto found = grid_convergence(std::array{1.0, 1.03}, std::array{1.0, 2.0});
  EXPECT_EQ(found.outcome, Outcome::monotone);
  EXPECT_TRUE(std::isnan(found.apparent_order));
  EXPECT_EQ(found.order, 2);
  EXPECT_NEAR(found.extrapolated, 0.99, 1e-12);
  EXPECT_NEAR(found.index, 3 * 0.01, 1e-12);
}

}  // namespace

}  // namespace weft::flow
