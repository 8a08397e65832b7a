// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>

#include "geometry/detail/crossing.hpp"
#include "geometry/domain.hpp"
#include "tests/support/geometry_shapes.hpp"

using namespace weft::geometry;
using namespace weft::geometry::detail;
using namespace weft::geometry::test;

namespace {

std::array<Vector, 3> corners(const Surface& s, std::size_t t) {
  const auto& c = s.triangles[t];
  return {s.vertices[c[0]], s.vertices[c[1]], s.vertices[c[2]]};
}

}  // namespace

TEST(Crossing, directions_are_the_forward_links) {
  for (const auto& d : directions()) {
    EXPECT_EQ(d.link, link_index(d.step[0], d.step[1], d.step[2]));
    EXPECT_GT(d.link, 13);
    EXPECT_EQ(d.step[d.major], 1);
    // All sites on one line have the same coordinates in the plane.
    const std::array<int, 3> p{3, -4, 5};
    const std::array<int, 3> q{p[0] + 7 * d.step[0], p[1] + 7 * d.step[1], p[2] + 7 * d.step[2]};
    EXPECT_EQ(d.shear(p), d.shear(q));
  }
  EXPECT_EQ(upwards().step, (std::array<int, 3>{0, 0, 1}));
}

TEST(Crossing, height_and_side_of_a_slanted_triangle) {
  // counter-clockwise from above: an upward line leaves
  const std::array<Vector, 3> t{{{-2, -2, 1}, {2, -2, 3}, {0, 3, 2}}};
  Crossing c;
  ASSERT_TRUE(crosses(project(upwards(), t), 0, 0, c));
  EXPECT_NEAR(c.height, 2, 1e-15);
  EXPECT_EQ(c.winding, -1);
  EXPECT_FALSE(crosses(project(upwards(), t), 2, 0, c));
  ASSERT_TRUE(crosses(project(upwards(), {t[1], t[0], t[2]}), 0, 0, c));
  EXPECT_EQ(c.winding, 1);
}

// The property that everything else depends on: a line enters a closed surface as often as it leaves it, even if it
// touches edges or corners.
TEST(Crossing, lines_through_corners_and_edges_never_leak) {
  // Corners on lattice points, edges along and across all directions.
  std::vector<Surface> shapes{box({-2, -2, -2}, {2, 3, 4}), sphere({0, 0, 0}, 4, 0), sphere({0, 0, 0}, 3, 2),
                              tube({0, 0, -3}, {0, 0, 3}, 2, 4, Ends::capped),
                              tube({-3, -3, -3}, {3, 3, 3}, 2, 6, Ends::capped)};
  std::mt19937 random(7);
  std::uniform_int_distribution<int> lattice(-4, 4);
  for (int i = 0; i < 200; ++i) {  // tetrahedra of lattice points, many of them flat
    Surface s;
    for (int k = 0; k < 4; ++k)
      s.vertices.push_back({double(lattice(random)), double(lattice(random)), double(lattice(random))});
    s.triangles = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    shapes.push_back(s);
  }
  // Corners very close to lattice points.
  std::uniform_real_distribution<double> hair(-1e-15, 1e-15);
  auto rough = sphere({0, 0, 0}, 3, 2);
  for (auto& v : rough.vertices)
    for (auto& c : v) c = std::round(c) + hair(random);
  shapes.push_back(rough);

  for (std::size_t shape = 0; shape < shapes.size(); ++shape)
    for (const auto& direction : directions())
      for (int u = -9; u <= 9; ++u)
        for (int v = -9; v <= 9; ++v) {
          int sum = 0;
          for (std::size_t t = 0; t < shapes[shape].triangles.size(); ++t) {
            Crossing c;
            if (crosses(project(direction, corners(shapes[shape], t)), u, v, c)) sum += c.winding;
          }
          ASSERT_EQ(sum, 0) << "shape " << shape << " link " << direction.link << " line " << u << " " << v;
        }
}
