// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/colour.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace weft::insitu {
namespace {

// CIE lightness of a colour on a screen.
double lightness(const Colour& c) {
  const auto linear = [](float x) {
    return x > 0.04045F ? std::pow((double{x} + 0.055) / 1.055, 2.4) : double{x} / 12.92;
  };
  const double y = 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  return 116 * std::cbrt(y) - 16;
}

TEST(Colour, viridis_grows_evenly_lighter) {
  double before = lightness(colour_of(ColourMap::viridis, 0));
  for (int i = 1; i <= 32; ++i) {
    const double now = lightness(colour_of(ColourMap::viridis, static_cast<float>(i) / 32));
    EXPECT_NEAR(now - before, (91 - 15) / 32.0, 0.8) << i;
    before = now;
  }
}

TEST(Colour, the_diverging_map_is_lightest_in_the_middle_and_even_to_both_sides) {
  const auto at = [](float x) { return lightness(colour_of(ColourMap::diverging, x)); };
  for (int i = 1; i <= 16; ++i) {
    const float x = static_cast<float>(i) / 32;
    EXPECT_GT(at(x), at(x - 1.0F / 32));
    EXPECT_NEAR(at(x), at(1 - x), 4) << x;
  }
}

TEST(Colour, beyond_the_ends_is_the_end) {
  for (const auto map : {ColourMap::viridis, ColourMap::diverging}) {
    EXPECT_EQ(colour_of(map, -3), colour_of(map, 0));
    EXPECT_EQ(colour_of(map, 7), colour_of(map, 1));
    EXPECT_EQ(colour_of(map, std::numeric_limits<float>::quiet_NaN()), colour_of(map, 0));
  }
}

}  // namespace
}  // namespace weft::insitu
