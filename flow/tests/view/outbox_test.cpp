// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "view/outbox.hpp"

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

namespace {

using Verdict = RateLimit::Verdict;

TEST(RateLimit, takes_what_is_within_it) {
  RateLimit limit(200);
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(limit.judge(i / 199.0), Verdict::take);
}

TEST(RateLimit, refuses_once_then_drops_then_closes) {
  RateLimit limit(200);
  int taken = 0, refused = 0, dropped = 0;
  for (;;) {
    const auto verdict = limit.judge(1);
    if (verdict == Verdict::close) break;
    ++(verdict == Verdict::take ? taken : verdict == Verdict::refuse ? refused : dropped);
  }
  EXPECT_EQ(taken, 200);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(dropped, 999);
}

TEST(RateLimit, forgives_who_slows_down) {
  RateLimit limit(10);
  double now = 0;
  for (int burst = 0; burst < 20; ++burst, now += 10) {
    for (int i = 0; i < 20; ++i) EXPECT_NE(limit.judge(now), Verdict::close);
    for (int i = 0; i < 40; ++i) EXPECT_EQ(limit.judge(now += 0.2), Verdict::take);
  }
}

}  // namespace

}  // namespace weft::view
