// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/geometry_shapes.hpp"

using namespace weft::geometry;
using namespace weft::geometry::test;
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
