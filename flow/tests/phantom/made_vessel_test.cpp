// SPDX-License-Identifier: BSD-3-Clause
#include "phantom/made_vessel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/boundary.hpp"
#include "phantom/mesh_tubes.hpp"
#include "phantom/tube_tree.hpp"
#include "weft/error.hpp"

namespace weft::phantom {
namespace {

using geometry::Vector;
using geometry::operator+, geometry::operator*;
using Kind = geometry::Opening::Kind;

double area_mm2(const geometry::Opening& o) { return 1e6 * std::numbers::pi * o.radius * o.radius; }

// Closed, manifold, oriented outwards, with triangles that any program accepts.
void expect_sound(const MadeVessel& vessel) {
  auto surface = vessel.surface;
  EXPECT_GT(geometry::signed_volume(surface), 0);
  EXPECT_EQ(geometry::close_surface(surface, {}, vessel.name, 1e-3), 0);  // throws if anything is wrong
  EXPECT_GT(smallest_angle(surface), 5) << vessel.name;
  EXPECT_TRUE(is_one_ball(surface)) << vessel.name << ": branches have to form a tree";
}

// Whether a point lies inside, by the number of crossings of a ray with the surface.
bool is_inside(const geometry::Surface& surface, const Vector& p) {
  int crossings = 0;
  for (const auto& t : surface.triangles) {
    const auto &a = surface.vertices[t[0]], &b = surface.vertices[t[1]], &c = surface.vertices[t[2]];
    const auto side = [&](const Vector& u, const Vector& v) {
      return (v[0] - u[0]) * (p[1] - u[1]) - (v[1] - u[1]) * (p[0] - u[0]);
    };
    const double s = side(a, b), q = side(b, c), r = side(c, a);
    if ((s > 0) != (q > 0) || (q > 0) != (r > 0)) continue;
    crossings += (a[2] * q + b[2] * r + c[2] * s) / (s + q + r) > p[2] ? 1 : 0;
  }
  return crossings % 2 == 1;
}

TEST(TubeTree, is_as_far_from_a_straight_tube_as_it_is) {
  TubeTree tree(0.1);
  tree.add({{{0, 0, 0}, 1}, {{0, 0, 10}, 1}});
  EXPECT_NEAR(tree.distance({3, 0, 5}), 2, 1e-12);
  EXPECT_NEAR(tree.distance({0, 0, 5}), -1, 1e-12);
  EXPECT_NEAR(tree.distance({0, 0, 14}), 3, 1e-12);  // the end is round
  EXPECT_NEAR(tree.normal({3, 0, 5})[0], 1, 1e-6);
}

TEST(TubeTree, smooth_tubes_go_through_their_places) {
  const std::vector<TubePoint> places{{{0, 0, 0}, 1}, {{1, 2, 5}, 0.8}, {{0, 1, 9}, 0.7}};
  const auto tube = smooth_tube(places, 0.5);
  std::size_t met = 0;
  for (const auto& p : tube)
    for (const auto& wanted : places) met += p.centre == wanted.centre && p.radius == wanted.radius ? 1U : 0U;
  EXPECT_GE(met, 2U);  // the ends exactly, points between them up to rounding
  for (const auto& p : tube) EXPECT_TRUE(p.radius <= 1 && p.radius >= 0.7);
}

TEST(MeshTubes, has_the_volume_of_a_capsule) {
  TubeTree tree(0.2);
  tree.add({{{0, 0, 0}, 1}, {{0, 0, 6}, 1}});
  const double exact = std::numbers::pi * 6 + 4 * std::numbers::pi / 3;
  EXPECT_NEAR(geometry::signed_volume(mesh_tubes(tree, 0.15)) / exact, 1, 0.01);
}

TEST(MadeVessel, the_aorta_has_its_areas_and_triangles) {
  const auto aorta = make_aorta();
  expect_sound(aorta);
  ASSERT_EQ(aorta.openings.size(), 3U);
  EXPECT_NEAR(area_mm2(aorta.openings[0]), 182, 1e-9);
  EXPECT_NEAR(area_mm2(aorta.openings[1]), 64, 1e-9);
  EXPECT_NEAR(area_mm2(aorta.openings[2]), 64, 1e-9);
  EXPECT_GT(aorta.surface.triangles.size(), 12000U);
  EXPECT_LT(aorta.surface.triangles.size(), 15000U);
}

TEST(MadeVessel, openings_lie_inside_and_face_the_fluid) {
  for (const auto& vessel : {make_aorta(), make_carotid(), make_six_openings(), make_random_vessel(2)}) {
    EXPECT_EQ(vessel.openings.front().kind, Kind::inlet);
    for (const auto& o : vessel.openings) {
      EXPECT_NEAR(geometry::length(o.normal), 1, 1e-12);
      EXPECT_TRUE(is_inside(vessel.surface, o.centre)) << vessel.name << " " << o.name;
      EXPECT_TRUE(is_inside(vessel.surface, o.centre + 3 * o.radius * o.normal)) << "its normal leads into the vessel";
      EXPECT_FALSE(is_inside(vessel.surface, o.centre + -2 * o.radius * o.normal)) << "its end is blind and near";
    }
  }
}

TEST(MadeVessel, named_ones_are_sound) {
  expect_sound(make_carotid());
  const auto six = make_six_openings();
  expect_sound(six);
  EXPECT_EQ(six.openings.size(), 6U);
  EXPECT_THROW(make_vessel_named("heart", 1), InputError);
}

TEST(MadeVessel, random_ones_are_sound_and_their_seeds_own) {
  for (const std::uint64_t seed : {1, 2, 5, 8}) {
    const auto vessel = make_random_vessel(seed);
    expect_sound(vessel);
    EXPECT_GE(vessel.highest_reynolds, 50);
    EXPECT_LE(vessel.highest_reynolds, 1500);
    EXPECT_LT(vessel.mean_reynolds, vessel.highest_reynolds);
  }
  const auto once = make_random_vessel(3), again = make_random_vessel(3), other = make_random_vessel(5);
  EXPECT_EQ(once.surface.vertices, again.surface.vertices);
  EXPECT_NE(once.surface.vertices, other.surface.vertices);
}

}  // namespace
}  // namespace weft::phantom
