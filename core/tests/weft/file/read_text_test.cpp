// SPDX-License-Identifier: BSD-3-Clause
#include "weft/file/read_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/core_ranks.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using testing::error_of;
using namespace std::string_literals;

std::string plain(std::string bytes) {
  make_plain(bytes, "a.csv");
  return bytes;
}

TEST(ReadText, line_ends_and_the_mark_are_made_plain) {
  EXPECT_EQ(plain(""), "");
  EXPECT_EQ(plain("a\nb"), "a\nb");
  EXPECT_EQ(plain("\xEF\xBB\xBF"
                  "a\r\nb\r\n"),
            "a\nb\n");
  EXPECT_EQ(plain("\xEF\xBB\xBF"), "");
  EXPECT_EQ(plain("a\rb\r\rc\r"), "a\nb\n\nc\n");
  EXPECT_EQ(plain("a\r\r\nb\n\rc"), "a\n\nb\n\nc");
  EXPECT_EQ(plain("a\xEF\xBB\xBF"), "a\xEF\xBB\xBF");  // only at the beginning
}

TEST(ReadText, refuses_wide_characters) {
  for (const auto& wide : {"\xFF\xFE"
                           "a\0"s,
                           "\xFE\xFF\0a"s, "\xFF\xFE\0\0a\0\0\0"s, "\0\0\xFE\xFF\0\0\0a"s})
    EXPECT_EQ(error_of([&] { plain(wide); }),
              "a.csv: This text is UTF-16 (it begins with that byte order mark). Save it as UTF-8.");
  EXPECT_EQ(error_of([] { plain("a\0b\0"s); }),
            "a.csv: Byte 2 is zero (this is UTF-16, or not a text). Save it as UTF-8.");
}

TEST(ReadText, reads_a_file) {
  const test::Scratch scratch;
  EXPECT_EQ(read_text(scratch.write("a",
                                    "\xEF\xBB\xBF"
                                    "x\r\n"),
                      "Give one."),
            "x\n");
}

}  // namespace
}  // namespace weft
