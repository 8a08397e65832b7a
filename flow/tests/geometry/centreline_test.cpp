// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/centreline.hpp"

using namespace weft::geometry;

namespace {

// A tube around a quarter of a circle with round ends, as a closed surface: rings of points, and a pole at each end.
Surface bent_tube(double bend, double radius) {
  constexpr int around = 32, along = 60, cap = 10;
  Surface s;
  const auto ring = [&](const Vector& middle, const Vector& out, double r) {
    for (int k = 0; k < around; ++k) {
      const double a = 2 * std::numbers::pi * k / around;
      s.vertices.push_back(middle + r * std::cos(a) * out + r * std::sin(a) * Vector{0, 0, 1});
    }
  };
  const auto frame = [&](double angle, double ahead, double r) {
    const Vector out{std::cos(angle), std::sin(angle), 0}, on{-std::sin(angle), std::cos(angle), 0};
    ring(bend * out + ahead * on, out, r);
  };
  const double quarter = std::numbers::pi / 2;
  for (int k = 1; k < cap; ++k) frame(0, -radius * std::cos(quarter * k / cap), radius * std::sin(quarter * k / cap));
  for (int k = 0; k <= along; ++k) frame(quarter * k / along, 0, radius);
  for (int k = cap - 1; k > 0; --k)
    frame(quarter, radius * std::cos(quarter * k / cap), radius * std::sin(quarter * k / cap));
  const auto rings = static_cast<std::uint32_t>(s.vertices.size()) / around;
  for (std::uint32_t r = 0; r + 1 < rings; ++r)
    for (std::uint32_t k = 0; k < around; ++k) {
      const std::uint32_t a = r * around + k, b = r * around + (k + 1) % around;
      s.triangles.push_back({a, b, a + around});
      s.triangles.push_back({b, b + around, a + around});
    }
  const auto first = static_cast<std::uint32_t>(s.vertices.size());
  s.vertices.push_back({bend, -radius, 0});
  s.vertices.push_back({-radius, bend, 0});
  for (std::uint32_t k = 0; k < around; ++k) {
    s.triangles.push_back({first, (k + 1) % around, k});
    const auto last = (rings - 1) * around;
    s.triangles.push_back({first + 1, last + k, last + (k + 1) % around});
  }
  return s;
}

}  // namespace

TEST(Centreline, follows_the_middle_of_a_bent_tube_from_end_to_end) {
  constexpr double bend = 10, radius = 1;
  for (const double scale : {1.0, 1e-3}) {
    auto tube = bent_tube(bend, radius);
    for (auto& v : tube.vertices) v = scale * v;
    const auto lines = centrelines(tube, {.voxels = 60'000});
    ASSERT_EQ(lines.ends.size(), 2U);
    ASSERT_EQ(lines.branches.size(), 1U);
    EXPECT_TRUE(lines.bulges.empty());
    const auto& branch = lines.branches.front();
    EXPECT_NE(branch.from, branch.to);
    double way = 0;
    for (std::size_t k = 0; k < branch.points.size(); ++k) {
      const auto p = (1 / scale) * branch.points[k];
      if (k > 0) way += length(branch.points[k] - branch.points[k - 1]) / scale;
      if (p[0] < 0.3 || p[1] < 0.3) continue;  // in a round end the middle is not unique
      EXPECT_NEAR(std::hypot(p[0], p[1]), bend, 0.12);
      EXPECT_NEAR(p[2], 0, 0.12);
      EXPECT_NEAR(branch.radius[k] / scale, radius, 0.12);
    }
    EXPECT_NEAR(way, bend * std::numbers::pi / 2 + 2 * radius, 0.5);
    for (const auto& end : lines.ends) EXPECT_NEAR(end.radius / scale, radius, 0.12);
  }
}

TEST(Centreline, goes_from_the_opening_that_was_told) {
  const auto tube = bent_tube(10, 1);
  const auto lines = centrelines(tube, {.ends = {{{10, 0, 0}, 1, true}}, .voxels = 60'000});
  ASSERT_EQ(lines.ends.size(), 2U);
  EXPECT_TRUE(lines.ends[0].given);
  EXPECT_FALSE(lines.ends[1].given);
  EXPECT_LT(length(lines.ends[1].place - Vector{-1, 10, 0}), 0.5);
}

TEST(Centreline, of_a_ball_has_no_branch) {
  auto ball = bent_tube(0.01, 1);
  EXPECT_TRUE(centrelines(ball, {.voxels = 20'000}).branches.empty());
}
