// SPDX-License-Identifier: BSD-3-Clause
#include "view/outbox.hpp"

#include <gtest/gtest.h>

namespace weft::view {
namespace {

std::string next(Outbox& outbox) {
  const auto message = outbox.next();
  return message ? *message->bytes : "(nothing)";
}

TEST(Outbox, says_all_once_hello_first) {
  Board board(10);
  board.put(Board::picture, "picture 1");
  board.put(Board::state, "state 1");
  board.rows.add("[1]");
  board.put(Board::hello, "hello");
  Outbox outbox(board);
  outbox.say("notice");
  EXPECT_EQ(next(outbox), "hello");
  EXPECT_EQ(next(outbox), "notice");
  EXPECT_EQ(next(outbox), "state 1");
  EXPECT_EQ(next(outbox), R"({"type":"rows","values":[[1]]})");
  EXPECT_EQ(next(outbox), "picture 1");
  EXPECT_EQ(next(outbox), "(nothing)");
}

TEST(Outbox, of_a_slow_watcher_the_newest_wins) {
  Board board(10);
  Outbox outbox(board);
  for (int i = 0; i < 1000; ++i) {
    board.put(Board::state, "state " + std::to_string(i));
    board.put(Board::picture, "picture " + std::to_string(i));
    board.rows.add(std::to_string(i));
    outbox.say("notice " + std::to_string(i));
  }
  for (std::size_t i = 1000 - Outbox::most_sentences; i < 1000; ++i)
    EXPECT_EQ(next(outbox), "notice " + std::to_string(i));
  EXPECT_EQ(next(outbox), "state 999");
  EXPECT_TRUE(next(outbox).ends_with(",999]}"));
  EXPECT_EQ(next(outbox), "picture 999");
  EXPECT_EQ(next(outbox), "(nothing)");
}

TEST(Outbox, what_changes_all_the_time_keeps_nothing_back) {
  Board board(10);
  Outbox outbox(board);
  std::string said;
  for (int i = 0; i < 6; ++i) {
    board.put(Board::state, "s");
    board.put(Board::picture, "p");
    board.rows.add("1");
    said += next(outbox).substr(0, 1);
  }
  EXPECT_EQ(said, "s{ps{p");
}

TEST(Outbox, waits_for_pictures_to_be_seen) {
  Board board(10);
  Outbox outbox(board);
  for (int i = 0; i < Outbox::most_unseen; ++i) {
    board.put(Board::picture, std::to_string(i));
    EXPECT_EQ(next(outbox), std::to_string(i));
  }
  EXPECT_FALSE(outbox.wants_picture());
  board.put(Board::picture, "late");
  board.put(Board::picture, "new");
  EXPECT_EQ(next(outbox), "(nothing)");
  outbox.seen();
  EXPECT_FALSE(outbox.wants_picture());
  EXPECT_EQ(next(outbox), "new");
  outbox.seen();
  EXPECT_TRUE(outbox.wants_picture());
}

TEST(Outbox, who_comes_later_is_told_rows_only_once) {
  Board board(10);
  board.rows.add("[1]");
  board.rows.add("[2]");
  Outbox outbox(board);
  EXPECT_EQ(next(outbox), R"({"type":"rows","values":[[1],[2]]})");
  board.rows.add("[3]");
  EXPECT_EQ(next(outbox), R"({"type":"rows","values":[[3]]})");
}

}  // namespace
}  // namespace weft::view
