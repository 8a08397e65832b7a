// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of the numbers on a command line, and suggestions for misspelt commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line/command.hpp"
#include "command_line/number_check.hpp"

namespace weft::command_line {
namespace {

TEST(NumberCheck, only_finite_numbers_in_the_range_pass) {
  const auto cells = in_range(4, 1000);
  for (const auto* good : {"4", "14", "+14", "1e3", "4.5"}) EXPECT_EQ(cells(good), "") << good;
  for (const auto* bad : {"nan", "-nan", "inf", "3.9", "1001", "", "14 mm", "x", "1e999"})
    EXPECT_EQ(cells(bad), std::string("'") + bad + "' is not allowed (a number from 4 to 1000)");
  EXPECT_EQ(positive_number()("0.1"), "");
  for (const auto* bad : {"0", "-1", "nan", "inf"}) EXPECT_NE(positive_number()(bad), "") << bad;
  EXPECT_EQ(not_negative_number()("0"), "");
  for (const auto* bad : {"-1", "nan", "inf"}) EXPECT_NE(not_negative_number()(bad), "") << bad;
}

TEST(ShellWord, is_quoted_only_where_a_shell_needs_it) {
  EXPECT_EQ(shell_word("out/case-1.toml"), "out/case-1.toml");
  EXPECT_EQ(shell_word("my case.toml"), "'my case.toml'");
  EXPECT_EQ(shell_word("it's.toml"), "'it'\\''s.toml'");
  EXPECT_EQ(shell_word("$HOME/~.toml"), "'$HOME/~.toml'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace weft::command_line
