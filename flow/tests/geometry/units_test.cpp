// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/units.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weft::geometry {
namespace {

std::string unit_of(double length, double radius = 0) {
  const auto unit = likely_unit({.length = length, .opening_radius = radius});
  return unit ? unit->name : "none";
}

TEST(Units, a_unit_is_a_name_or_a_number_of_metres) {
  EXPECT_EQ(metres_of("cm"), 1e-2);
  EXPECT_EQ(metres_of("2.5e-4"), 2.5e-4);
  for (const auto* wrong : {"", "inch", "MM", "0", "-1", "1 mm", "inf", "nan", "1e400"})
    EXPECT_EQ(metres_of(wrong), std::nullopt) << wrong;
}

// An artery 40 mm long and 4 mm wide, an aorta 300 mm long and 30 mm wide.
TEST(Units, a_vessel_is_known_by_its_openings_width) {
  EXPECT_EQ(unit_of(40, 2), "mm");
  EXPECT_EQ(unit_of(0.04, 0.002), "m");
  EXPECT_EQ(unit_of(40e3, 2e3), "um");
  EXPECT_EQ(unit_of(0.3, 0.015), "m");
  EXPECT_EQ(unit_of(1.5, 0.1), "cm");
  EXPECT_EQ(unit_of(2100, 10), "none");  // longer than a body
  EXPECT_EQ(unit_of(100, 30), "none");   // too wide for an aorta in mm, too thin for an artery in um
}

TEST(Units, without_a_width_the_length_has_to_do) {
  EXPECT_EQ(unit_of(40), "mm");
  EXPECT_EQ(unit_of(0.04), "m");
  EXPECT_EQ(unit_of(40e3), "um");
  EXPECT_EQ(unit_of(1.2), "cm");
  EXPECT_EQ(unit_of(1500), "none");
  EXPECT_EQ(unit_of(0), "none");
}

TEST(Units, a_given_unit_is_doubted_outside_the_same_limits) {
  EXPECT_TRUE(is_likely_vessel({.length = 40, .opening_radius = 2}, 1e-3));
  EXPECT_FALSE(is_likely_vessel({.length = 40, .opening_radius = 2}, 1));
  EXPECT_FALSE(is_likely_vessel({.length = 40}, 1));
}

}  // namespace
}  // namespace weft::geometry
