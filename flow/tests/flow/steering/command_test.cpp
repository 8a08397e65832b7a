// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "flow/steering/command.hpp"

namespace weft::flow {

namespace {

using Kind = Command::Kind;

Command scene(std::int32_t width) {
  Command c{.kind = Kind::scene};
  c.scene.width = width;
  return c;
}

TEST(Inbox, scenes_that_follow_each_other_are_one) {
  Inbox inbox;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(inbox.push(scene(i)));
  EXPECT_TRUE(inbox.push({.kind = Kind::pause}));
  EXPECT_TRUE(inbox.push(scene(7)));
  EXPECT_TRUE(inbox.push(scene(8)));
  EXPECT_EQ(inbox.size(), 3U);
  EXPECT_EQ(inbox.take().value_or(Command{}).scene.width, 999);
  EXPECT_EQ(inbox.take().value_or(Command{}).kind, Kind::pause);
  EXPECT_EQ(inbox.take().value_or(Command{}).scene.width, 8);
  EXPECT_FALSE(inbox.take());
}

TEST(Inbox, takes_no_more_than_it_has_room_for) {
  Inbox inbox;
  for (std::size_t i = 0; i < Inbox::capacity; ++i) EXPECT_TRUE(inbox.push({.kind = Kind::output}));
  EXPECT_FALSE(inbox.push({.kind = Kind::stop}));
  EXPECT_TRUE(inbox.take());
  EXPECT_TRUE(inbox.push({.kind = Kind::stop}));
}

TEST(Inbox, many_threads_put_in_what_one_takes_out) {
  Inbox inbox;
  constexpr int threads = 3, each = 500;
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t)
    writers.emplace_back([&inbox, t] {
      for (int i = 0; i < each; ++i)
        while (!inbox.push({.kind = Kind::opening, .opening = t, .value = double(i)})) std::this_thread::yield();
    });
  std::vector<int> next(threads, 0);
  for (int taken = 0; taken < threads * each;) {
    const auto command = inbox.take();
    if (!command) {
      inbox.wait(std::chrono::milliseconds(1));
      continue;
    }
    // the commands of each thread keep their order
    EXPECT_EQ(command->value, next[static_cast<std::size_t>(command->opening)]++);
    ++taken;
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(inbox.size(), 0U);
}

}  // namespace

}  // namespace weft::flow
