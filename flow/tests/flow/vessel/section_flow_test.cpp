// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel/section_flow.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "flow/vessel/inflow_profiles.hpp"
#include "tests/support/prisms.hpp"

namespace weft::flow {
namespace {

using geometry::Point, geometry::Polygon;
using namespace geometry::test;

/// Largest difference over the section, at points between the grid's.
double error(const SectionGrid& grid, const std::vector<double>& field, const Polygon& outline,
             const std::function<double(const Point&)>& exact) {
  double worst = 0;
  for (double x = -2; x < 2; x += 0.0137)
    for (double y = -2; y < 2; y += 0.0291)
      if (geometry::contains(outline, {x, y}))
        worst = std::max(worst, std::abs(grid.interpolate(field, {x, y}) - exact({x, y})));
  return worst;
}

double steady_error(const Polygon& outline, int points, const std::function<double(const Point&)>& exact) {
  const SectionGrid grid({outline}, geometry::area(outline), points);
  return error(grid, steady_flow(grid), outline, exact);
}

TEST(SteadyFlow, is_the_parabola_in_a_round_vessel_and_its_like_in_an_oval) {
  for (const auto& [a, b] : {std::array{1.0, 1.0}, std::array{1.7, 0.6}}) {
    const auto exact = [&, a = a, b = b](const Point& p) {
      return 2 * (1 - p[0] * p[0] / (a * a) - p[1] * p[1] / (b * b));
    };
    const auto outline = ellipse(a, b, 2048);
    const double coarse = steady_error(outline, 20, exact), fine = steady_error(outline, 160, exact);
    EXPECT_LT(coarse, 0.15);
    // the maximum is 2; the error is mostly that of the mean, due to the grid's cells at the wall
    EXPECT_LT(fine, 0.01);
    EXPECT_GT(coarse / fine, 8);
  }
}

TEST(SteadyFlow, in_a_triangle_is_that_of_the_book) {
  // Landau and Lifshitz, Fluid Mechanics, 17: the product of the distances to the three sides.
  const Polygon triangle{{-1, -0.5}, {1, -0.5}, {0, -0.5 + std::sqrt(3)}};
  const double height = std::sqrt(3);
  const auto exact = [&](const Point& p) {
    const double h1 = p[1] + 0.5, h2 = (height * (1 - p[0]) - h1) / 2, h3 = (height * (1 + p[0]) - h1) / 2;
    return 60 * h1 * h2 * h3 / (height * height * height);
  };
  EXPECT_LT(steady_error(triangle, 160, exact), 0.04);  // the maximum is 2.2
}

TEST(SteadyFlow, stays_within_a_bent_lumen_and_flows_around_what_is_in_it) {
  const auto outline = bean(1);
  const SectionGrid grid({outline}, geometry::area(outline), 100);
  const auto field = steady_flow(grid);
  EXPECT_EQ(grid.interpolate(field, {0, 0.7}), 0);  // in the concave side, outside the lumen
  EXPECT_GT(grid.interpolate(field, {0, -0.3}), 0.5);
  auto hole = ellipse(0.4, 0.4);
  std::reverse(hole.begin(), hole.end());
  const auto around = ellipse(1, 1, 512);
  const SectionGrid ring({around, hole}, geometry::area(around) + geometry::area(hole), 160);
  const auto annulus = steady_flow(ring);
  EXPECT_EQ(ring.interpolate(annulus, {0.1, 0.1}), 0);
  // u ~ 1 - r^2 - (1 - k^2) ln r / ln k
  const auto exact = [](double r) { return 1 - r * r - (1 - 0.16) * std::log(r) / std::log(0.4); };
  EXPECT_NEAR(ring.interpolate(annulus, {0.7, 0}) / ring.interpolate(annulus, {0, 0.9}), exact(0.7) / exact(0.9), 0.02);
}

TEST(OscillatingFlow, is_womersleys_in_a_round_vessel) {
  const auto outline = ellipse(1, 1, 1024);
  const SectionGrid grid({outline}, geometry::area(outline), 96);
  for (const double alpha : {0.5, 3.0, 12.0}) {
    const auto flow = oscillating_flow(grid, alpha * alpha);
    const auto exact = [&](const Point& p) { return womersley_profile(alpha, std::hypot(p[0], p[1])); };
    EXPECT_LT(error(grid, flow.real, outline, [&](const Point& p) { return exact(p).real(); }), 0.03) << alpha;
    EXPECT_LT(error(grid, flow.imaginary, outline, [&](const Point& p) { return exact(p).imag(); }), 0.03) << alpha;
  }
}

}  // namespace
}  // namespace weft::flow
