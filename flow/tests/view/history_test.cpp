// SPDX-License-Identifier: BSD-3-Clause
#include "view/history.hpp"

#include <gtest/gtest.h>

namespace weft::view {
namespace {

History filled(std::size_t most, int rows) {
  History history(most);
  for (int i = 0; i < rows; ++i) history.add(std::to_string(i));
  return history;
}

TEST(History, keeps_all_while_they_are_few) {
  EXPECT_EQ(filled(4, 0).since(0), "[]");
  EXPECT_EQ(filled(4, 4).since(0), "[0,1,2,3]");
  EXPECT_EQ(filled(4, 4).since(2), "[2,3]");
  EXPECT_EQ(filled(4, 4).since(4), "[]");
}

TEST(History, thins_out_evenly_and_keeps_the_newest) {
  EXPECT_EQ(filled(4, 5).since(0), "[0,2,4]");
  EXPECT_EQ(filled(4, 6).since(0), "[0,2,4,5]");
  EXPECT_EQ(filled(4, 7).since(0), "[0,2,4,6]");
  EXPECT_EQ(filled(4, 8).since(0), "[0,4,7]");
  EXPECT_EQ(filled(4, 9).since(0), "[0,4,8]");
}

TEST(History, is_bounded) {
  History history(100);
  for (int i = 0; i < 100'000; ++i) {
    history.add(std::to_string(i));
    ASSERT_LE(history.size(), 101U);
  }
  EXPECT_GE(history.size(), 50U);
  EXPECT_EQ(history.next(), 100'000U);
  EXPECT_TRUE(history.since(0).starts_with("[0,"));
  EXPECT_TRUE(history.since(0).ends_with(",99999]"));
}

}  // namespace
}  // namespace weft::view
