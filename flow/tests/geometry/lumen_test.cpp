// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "geometry/boundary.hpp"
#include "geometry/section.hpp"
#include "tests/support/geometry_shapes.hpp"
#include "tests/support/prisms.hpp"

using namespace weft;
using namespace weft::geometry;
using namespace weft::geometry::test;

namespace {

constexpr double pi = std::numbers::pi;

Lumen lumen_of(const Surface& surface, const Vector& centre, const Vector& normal, double radius, double voxel = 0.1) {
  return find_lumens(surface, {{Opening::Kind::inlet, "in", centre, normalised(normal), radius}}, voxel).front();
}

const Plane askew = Plane::through({0.3, -1, 2}, {1, 0.4, -0.3});

}  // namespace

TEST(Lumen, is_the_vessels_own_however_large_the_disc_is) {
  for (const auto& outline : {ellipse(1, 1), ellipse(2, 0.7), d_shape(1.3), bean(1)}) {
    const auto vessel = prism(outline, askew, 10);
    for (const double radius : {0.6, 1.0, 1.4, 2.5}) {
      const auto lumen = lumen_of(vessel, askew.origin + 4 * askew.normal, askew.normal, radius);
      EXPECT_NEAR(lumen.area, area(outline), 1e-9 * lumen.area) << radius;
      EXPECT_NEAR(lumen.reach, distances(outline, {0, 0})[1], 1e-9);
      EXPECT_EQ(lumen.rings.size(), 1U);
      EXPECT_TRUE(lumen.others.empty());
    }
  }
}

TEST(Lumen, of_a_cut_askew_is_longer) {
  const auto outline = ellipse(1, 1);
  const auto vessel = prism(outline, askew, 10);
  const auto normal = askew.normal + std::tan(pi / 6) * askew.u;  // 30 degrees
  EXPECT_NEAR(lumen_of(vessel, askew.origin + 5 * askew.normal, normal, 1.2).area, area(outline) / std::cos(pi / 6),
              1e-9);
}

TEST(Lumen, of_a_flat_end_is_found_wherever_the_disc_lies_within_a_voxel_of_it) {
  const auto outline = bean(1);
  const auto vessel = prism(outline, askew, 10);
  for (const double off : {-0.09, -0.01, 0.0, 0.01, 0.09})
    for (const bool far : {false, true}) {
      const auto at = askew.origin + (off + (far ? 10 : 0)) * askew.normal;
      EXPECT_NEAR(lumen_of(vessel, at, (far ? -1.0 : 1.0) * askew.normal, 1.1).area, area(outline), 1e-9) << off << far;
    }
}

TEST(Lumen, of_a_rounded_end_is_where_it_is_cut) {
  const auto vessel = capsule({0, 0, 0}, {0, 0, 6}, 1, 256);
  for (const double z : {-0.5, -0.2, 1.0}) {
    const double radius = z < 0 ? std::sqrt(1 - z * z) : 1;
    EXPECT_NEAR(lumen_of(vessel, {0, 0, z}, {0, 0, 1}, 1.2, 0.02).area, pi * radius * radius, 2e-3) << z;
  }
}

TEST(Lumen, others_that_the_disc_cuts_are_told) {
  const auto other = Plane::through({2.5, 0, 0}, {0, 0, 1}), here = Plane::through({0, 0, 0}, {0, 0, 1});
  const auto both = joined(prism(ellipse(1, 1), here, 5), prism(ellipse(0.5, 0.5), other, 5));
  EXPECT_TRUE(lumen_of(both, {0, 0, 2}, {0, 0, 1}, 1.2).others.empty());
  const auto lumen = lumen_of(both, {0, 0, 2}, {0, 0, 1}, 2.5);
  EXPECT_NEAR(lumen.area, area(ellipse(1, 1)), 1e-9);
  ASSERT_EQ(lumen.others.size(), 1U);
  EXPECT_NEAR(lumen.others[0], area(ellipse(0.5, 0.5)), 1e-9);
}

TEST(Lumen, what_it_flows_around_is_no_part_of_it) {
  const auto here = Plane::through({0, 0, 0}, {0, 0, 1}), within = Plane::through({0.5, 0, 1}, {0, 0, 1});
  const auto vessel = joined(prism(ellipse(1, 1), here, 5), inside_out(prism(ellipse(0.3, 0.3), within, 3)));
  const auto lumen = lumen_of(vessel, {0, 0, 2}, {0, 0, 1}, 1.1);
  EXPECT_EQ(lumen.rings.size(), 2U);
  EXPECT_NEAR(lumen.area, area(ellipse(1, 1)) - area(ellipse(0.3, 0.3)), 1e-9);
}

TEST(Lumen, far_from_the_vessel_there_is_none) {
  const auto vessel = prism(ellipse(1, 1), askew, 10);
  EXPECT_FALSE(lumen_of(vessel, {50, 0, 0}, {0, 0, 1}, 1).exists());
}

using ::testing::ElementsAre;

TEST(Parts, are_of_openings_that_fluid_can_flow_between) {
  const auto opening = [](const Vector& centre, const Vector& normal, double radius) {
    return Opening{Opening::Kind::inlet, "", centre, normal, radius};
  };
  const auto first = tube({0, 0, 0}, {0, 0, 10}, 1, 32, Ends::capped);
  const std::vector<Opening> four = {opening({0, 0, 0}, {0, 0, 1}, 1.1), opening({5, 0, 10}, {0, 0, -1}, 0.6),
                                     opening({0, 0, 10}, {0, 0, -1}, 1.1), opening({5, 0, 0}, {0, 0, 1}, 0.6)};
  const auto apart = joined(first, tube({5, 0, 0}, {5, 0, 10}, 0.5, 32, Ends::capped));
  EXPECT_THAT(parts_of_openings(apart, four, 0.1), ElementsAre(0, 1, 0, 1));
  // A third tube that crosses both.
  const auto bridged = joined(apart, tube({-0.5, 0.01, 5}, {5.2, 0.01, 5}, 0.3, 32, Ends::capped));
  EXPECT_THAT(parts_of_openings(bridged, four, 0.1), ElementsAre(0, 0, 0, 0));
}
