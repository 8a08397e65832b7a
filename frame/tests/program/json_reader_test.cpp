// SPDX-License-Identifier: BSD-3-Clause
//
// JSON is read into the same tree as TOML, and one reader of sections takes values out of both.
#include "program/json_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/section_reader.hpp"
#include "weft/error.hpp"

namespace weft::program {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "it was taken";
}

TEST(JsonReader, takes_what_is_there) {
  const auto value = parse_json(
      R"({"whole": 7, "number": 7.5, "text": "", "flag": true, "none": null, "at": [1, 2.5], "in": {"deep": -3}})",
      "a message");
  const SectionReader in(value, "in it", {"whole", "number", "text", "flag", "none", "at", "in"});
  EXPECT_EQ(in.whole_number("whole", 0), 7);
  EXPECT_EQ(in.number("whole", 0, 10), 7);
  EXPECT_EQ(in.number("number", 0, 10), 7.5);
  EXPECT_EQ(in.number("missing", 0, 10, 4.0), 4);
  EXPECT_EQ(in.text_or_empty("text"), "");
  EXPECT_TRUE(in.flag("flag", false));
  EXPECT_TRUE(in.is_null("none"));
  EXPECT_FALSE(in.is_null("whole"));
  const std::array<float, 2> at{1, 2.5F};
  EXPECT_EQ((in.numbers<float, 2>("at", 10, {})), at);
  const SectionReader deep(in.required("in"), "in the object", {"deep"});
  EXPECT_EQ(deep.whole_number("deep", -5), -3);
}

TEST(JsonReader, says_where_and_what_is_allowed) {
  const auto value = parse_json(R"({"a": 18446744073709551615, "b": [1], "c": 11, "d": "\u0007"})", "a message");
  const SectionReader in(value, "in it", {"a", "b", "c", "d"});
  EXPECT_EQ(refusal([&] { in.whole_number("a", 0); }), "a message: a in it is a number. Give a whole number.");
  EXPECT_EQ(refusal([&] { in.numbers<double, 2>("b", 1, {}); }),
            "a message: b in it is a list. Give a list of 2 numbers.");
  EXPECT_EQ(refusal([&] { in.number("c", 0, 10, {}, "m/s"); }),
            "a message: c in it is 11 m/s (allowed: 0 to 10 m/s). Give a number in this range.");
  EXPECT_EQ(refusal([&] { in.list("b", 0); }),
            "a message: b in it has 1 entries (at most 0 are allowed). Remove some.");
  EXPECT_EQ(refusal([&] { in.required("z"); }), "a message: The key 'z' is missing in it (it has no default). Add it.");
  EXPECT_EQ(refusal([&] {
              in.choice("d", Names<int>("digit", {{1, "one"}}));
            }),
            "a message: d in it is '?' (allowed: one). Give one of these.");
}

TEST(JsonReader, refuses_what_is_too_much) {
  EXPECT_THAT(refusal([] { parse_json("{\"a\": 1}", "it", {.longest = 7}); }), HasSubstr("8 characters (at most 7"));
  EXPECT_THAT(refusal([] { parse_json("{\"a\": {\"b\": []}}", "it", {.deepest = 2}); }), HasSubstr("too deeply"));
  EXPECT_THAT(refusal([] { parse_json("{\"a\": 1, \"a\": 2}", "it"); }), HasSubstr("The key 'a' is given twice"));
  EXPECT_THAT(refusal([] { parse_json("{\"a\": 1e999}", "it"); }), HasSubstr("finite"));
  EXPECT_THAT(refusal([] { parse_json("{\"a\": 1", "it"); }), HasSubstr("not JSON (error at character 8"));
  EXPECT_THAT(refusal([] { parse_json("[1]", "it"); }), HasSubstr("an array"));
}

TEST(JsonReader, shows_no_more_of_a_text_than_a_line_takes) {
  EXPECT_EQ(shown("plain"), "'plain'");
  EXPECT_EQ(shown("a\nb\x7f"), "'a?b?'");
  EXPECT_EQ(shown("\xc3\xa9"), "'\xc3\xa9'");
  EXPECT_EQ(shown(std::string(59, 'x') + "\xc3\xa9y"), "'" + std::string(59, 'x') + "...'");
}

}  // namespace
}  // namespace weft::program
