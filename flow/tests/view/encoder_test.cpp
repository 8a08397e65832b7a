// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <turbojpeg.h>

#include <cstdlib>
#include <memory>

#include "view/encoder.hpp"
#include "weft/error.hpp"

namespace weft::view {

namespace {

Picture plain(int width, int height, std::uint8_t red, std::int64_t step = 0) {
  Picture picture{.step = step, .width = width, .height = height, .rgb = {}};
  for (int i = 0; i < width * height; ++i) picture.rgb.insert(picture.rgb.end(), {red, 20, 30});
  return picture;
}

TEST(Picture, is_step_and_jpeg) {
  const auto message = encode(plain(33, 17, 200, 0x0102'0304'0506'0708), 90);
  EXPECT_EQ(message.substr(0, 8), "\x08\x07\x06\x05\x04\x03\x02\x01");
  const std::unique_ptr<void, int (*)(void*)> jpeg(tjInitDecompress(), tjDestroy);
  std::vector<std::uint8_t> rgb(33 * 17 * 3);
  const auto* bytes = reinterpret_cast<const unsigned char*>(message.data()) + 8;
  ASSERT_EQ(tjDecompress2(jpeg.get(), bytes, message.size() - 8, rgb.data(), 33, 0, 17, TJPF_RGB, 0), 0);
  EXPECT_NEAR(rgb[0], 200, 3);
  EXPECT_NEAR(rgb[1], 20, 3);
  EXPECT_NEAR(rgb[2], 30, 3);
}

TEST(Picture, refuses_what_does_not_agree) {
  EXPECT_THROW(encode({.step = 0, .width = 4, .height = 4, .rgb = {1, 2, 3}}, 80), Error);
  EXPECT_THROW(encode({.step = 0, .width = 0, .height = 0, .rgb = {}}, 80), Error);
  EXPECT_THROW(encode({.step = 0, .width = -1, .height = -1, .rgb = {1, 2, 3}}, 80), Error);
}

TEST(Encoder, ends_after_the_newest_and_survives_bad_ones) {
  std::vector<std::string> done;  // read after the encoder has ended
  {
    Encoder encoder(80, [&](std::string message) { done.push_back(std::move(message)); });
    encoder.add({.step = 1, .width = 5, .height = 5, .rgb = {}});
    for (int i = 2; i <= 50; ++i) encoder.add(plain(8, 8, 1, i));
  }
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(done.back()[0], 50);
  EXPECT_LE(done.size(), 49U);
}

}  // namespace

}  // namespace weft::view
