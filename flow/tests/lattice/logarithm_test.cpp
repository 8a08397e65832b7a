// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/rates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace weft::lattice::detail {
namespace {

TEST(Logarithm, one_number_is_the_librarys) {
  for (double x = 1e-8; x < 1e6; x *= 1.0373)
    for (const double scale : {1.0, 3.0, 36.0}) {
      const double expected = x * std::log(x * scale);
      EXPECT_NEAR(sum_x_log_x(&x, 1, scale), expected, 1e-12 * std::abs(expected) + 1e-15 * x) << x;
    }
}

TEST(Logarithm, many_are_summed) {
  std::vector<double> x;
  double expected = 0;
  for (std::size_t n = 0; n < 70; ++n) {
    EXPECT_NEAR(sum_x_log_x(x.data(), x.size(), 18), expected, 1e-12);
    x.push_back((1.0 + 0.1 * std::sin(static_cast<double>(n))) / 18);
    expected += x.back() * std::log(18 * x.back());
  }
}

TEST(Logarithm, of_what_has_none) {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    for (const std::size_t at : {std::size_t{0}, std::size_t{17}, std::size_t{39}}) {
      std::vector<double> x(40, 0.1);
      x[at] = bad;
      EXPECT_TRUE(std::isnan(sum_x_log_x(x.data(), x.size(), 1))) << bad << ' ' << at;
    }
}

}  // namespace
}  // namespace weft::lattice::detail
