// SPDX-License-Identifier: BSD-3-Clause
#include "text/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace weft::text {
namespace {

TEST(Text, is_quoted) {
  EXPECT_EQ(quoted(""), R"("")");
  EXPECT_EQ(quoted("a \"b\" \\ /"), R"("a \"b\" \\ /")");
  EXPECT_EQ(quoted("\n\t\x01"), R"("\u000a\u0009\u0001")");
  EXPECT_EQ(quoted("µm → 𝄞"), "\"µm → 𝄞\"");
}

TEST(Text, what_is_no_utf8_is_replaced) {
  EXPECT_EQ(quoted("a\xff b"), R"("a? b")");
  EXPECT_EQ(quoted("\xc3"), R"("?")");
  EXPECT_EQ(quoted("\xc0\xaf"), R"("??")");
  EXPECT_EQ(quoted("\xed\xa0\x80"), R"("???")");
  EXPECT_EQ(quoted("\xf5\x80\x80\x80"), R"("????")");
  EXPECT_EQ(quoted("\xe2\x82x"), R"("??x")");
}

TEST(Text, arrays_keep_every_digit) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json_array({}), "[]");
  EXPECT_EQ(json_array(std::array{1.0, -0.1, nan, infinity, 1e-300, 123456789.0}),
            "[1,-0.1,null,null,1e-300,123456789]");
}

}  // namespace
}  // namespace weft::text
