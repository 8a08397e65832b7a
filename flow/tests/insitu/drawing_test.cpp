// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "insitu/drawing.hpp"
#include "insitu/scene.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

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

namespace {

Rendered one_red_pixel(std::int32_t width, std::int32_t height) {
  Rendered picture;
  picture.scene.width = width;
  picture.scene.height = height;
  picture.projection = make_projection(picture.scene, {20, 20, 20});
  picture.segments = {{static_cast<std::uint32_t>(width * (height / 2) + width / 2), {65535, 0, 0, 65535}}};
  return picture;
}

TEST(Drawing, puts_each_pixel_in_its_place) {
  const auto image = draw(one_red_pixel(101, 61), {});
  ASSERT_EQ(image.pixels.size(), 101u * 61 * 3);
  const auto* p = &image.pixels[(30 * 101 + 50) * 3];
  EXPECT_EQ(p[0], 255);
  EXPECT_EQ(p[1], 0);
  EXPECT_EQ(p[2], 0);
  EXPECT_GT(p[3], 200);  // its neighbour is the background
  const auto dark = draw(one_red_pixel(101, 61), {}, Frame::page);
  EXPECT_LT(dark.pixels[0], 40);
}

TEST(Drawing, has_scale_and_title_only_where_they_are_wanted) {
  const Caption caption{"A title", "speed", "m/s", 0.25, 1e-4};
  const auto plain = draw(one_red_pixel(400, 300), caption, Frame::page),
             framed = draw(one_red_pixel(400, 300), caption);
  const auto differs = [](const Image& image, int x0, int y0, int x1, int y1) {
    int different = 0;
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) {
        const auto* p = &image.pixels[static_cast<std::size_t>(y * image.width + x) * 3];
        const auto* left = &image.pixels[static_cast<std::size_t>(y * image.width + x0) * 3];
        different += std::abs(p[0] - left[0]) + std::abs(p[1] - left[1]) + std::abs(p[2] - left[2]) > 30 ? 1 : 0;
      }
    return different;
  };
  EXPECT_GT(differs(framed, 320, 20, 400, 220), 500);
  EXPECT_LT(differs(plain, 320, 20, 400, 220), 5);
}

TEST(Drawing, a_file_is_a_png) {
  const test::Scratch scratch;
  const auto path = scratch.path() / "deep" / "picture.png";
  write_png(draw(one_red_pixel(64, 48), {}), path);
  std::ifstream in(path, std::ios::binary);
  std::string head(24, 0);
  in.read(head.data(), 24);
  EXPECT_EQ(head.substr(1, 3), "PNG");
  EXPECT_EQ(static_cast<unsigned char>(head[19]), 64);
  EXPECT_EQ(static_cast<unsigned char>(head[23]), 48);
  EXPECT_THROW(write_png(draw(one_red_pixel(64, 48), {}), "/proc/nothing/picture.png"), InputError);
}

}  // namespace

}  // namespace weft::insitu
