// SPDX-License-Identifier: BSD-3-Clause
//
// The weights that a triangle gives to the wall points around it. The voxel is 0.5.
#include "flow/extracts/wall_stencils.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace weft::flow {
namespace {

using geometry::operator+;
using geometry::operator*;
using geometry::Vector;
using Triangle = std::array<Vector, 3>;

constexpr double voxel = 0.5;

/// Points of a plane at a height, about one per square voxel of [0, 20 voxels)^2, randomly displaced.
std::vector<WallPoint> plane(double height, const Vector& normal, std::int64_t first_id) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> shift(-0.4, 0.4);
  std::vector<WallPoint> points;
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 20; ++x)
      points.push_back({first_id + std::int64_t(points.size()),
                        {voxel * (x + shift(random)), voxel * (y + shift(random)), voxel * height},
                        normal});
  return points;
}

double value(const WallStencils& stencils, const std::vector<WallPoint>& points, const Triangle& t,
             const std::function<double(const Vector&)>& field) {
  double sum = 0, weights = 0;
  for (const auto& entry : stencils.of(t)) {
    sum += double(entry.weight) * field(points[entry.point].at);
    weights += double(entry.weight);
  }
  if (weights > 0) {
    EXPECT_NEAR(weights, 1, 1e-5);
  }
  return sum;
}

double linear(const Vector& at) { return 3 + 2 * at[0] - 5 * at[1]; }
Vector middle(const Triangle& t) { return (1.0 / 3) * (t[0] + t[1] + t[2]); }

TEST(WallStencils, meet_a_linear_field_in_the_middle_of_triangles_of_any_size) {
  const auto points = plane(0, {0, 0, 1}, 100);
  const WallStencils stencils(points, voxel);
  const Triangle small = {{{4, 4, 0}, {4.1, 4, 0}, {4, 4.07, 0}}};
  const Triangle large = {{{2, 2, 0}, {7, 3, 0}, {3, 8, 0}}};
  const Triangle sliver = {{{2, 4, 0}, {8, 4, 0}, {5, 4.05, 0}}};
  for (const auto& t : {small, large, sliver}) {
    EXPECT_NEAR(value(stencils, points, t, linear), linear(middle(t)), 1e-4);
    EXPECT_GT(stencils.of(t).size(), 5U);
  }
  EXPECT_GT(stencils.of(large).size(), 40U) << "all of a large triangle counts";
}

TEST(WallStencils, pass_over_the_opposite_wall_and_what_is_far) {
  auto points = plane(0, {0, 0, -1}, 0);
  const auto above = plane(1.2, {0, 0, 1}, 1000);  // a gap of 1.2 voxels
  points.insert(points.end(), above.begin(), above.end());
  const WallStencils stencils(points, voxel);
  const auto height = [](const Vector& at) { return at[2]; };
  const Triangle top = {{{4, 4, 0.6}, {5, 4, 0.6}, {4, 5, 0.6}}}, bottom = {{{4, 4, 0}, {4, 5, 0}, {5, 4, 0}}};
  EXPECT_NEAR(value(stencils, points, top, height), 0.6, 1e-6);
  EXPECT_EQ(value(stencils, points, bottom, height), 0);
  const Triangle cap = {{{4, 4, 0}, {4, 5, 0}, {4, 4, 1}}}, far = {{{4, 4, 5}, {5, 4, 5}, {4, 5, 5}}};
  const Triangle huge_and_far = {{{4, 4, 1e7}, {1e7, 4, 1e7}, {4, 1e7, 1e7}}},
                 without_area = {{{4, 4, 0}, {5, 5, 0}, {6, 6, 0}}};
  for (const auto& t : {cap, far, huge_and_far, without_area}) EXPECT_TRUE(stencils.of(t).empty());
  EXPECT_TRUE(WallStencils({}, voxel).of(top).empty());
}

TEST(WallStencils, are_the_same_bits_whatever_is_further_away) {
  const auto all = plane(0, {0, 0, 1}, 100);
  std::vector<WallPoint> some;
  for (const auto& point : all)
    if (point.at[0] > 2 && point.at[0] < 7) some.push_back(point);
  const Triangle t = {{{4, 4, 0}, {4.8, 4.1, 0}, {4.2, 5, 0}}};
  const WallStencils of_all(all, voxel), of_some(some, voxel);
  const auto a = of_all.of(t), b = of_some.of(t);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(all[a[k].point].id, some[b[k].point].id);
    EXPECT_EQ(a[k].weight, b[k].weight);
  }
}

}  // namespace
}  // namespace weft::flow
