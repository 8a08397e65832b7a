// SPDX-License-Identifier: BSD-3-Clause
//
// Where warnings go.
#include "weft/warning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"

namespace weft {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// What is printed to stderr while `function` runs.
template <class Function>
std::string printed_by(const Function& function) {
  std::FILE* file = std::tmpfile();
  std::fflush(stderr);
  const int before = ::dup(2);
  ::dup2(fileno(file), 2);
  function();
  std::fflush(stderr);
  ::dup2(before, 2);
  ::close(before);
  std::array<char, 1000> all{};
  const auto n = ::pread(fileno(file), all.data(), all.size(), 0);
  std::fclose(file);
  return {all.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

class Warnings : public ::testing::Test {
 protected:
  ~Warnings() override { set_warning_handler({}); }
};

TEST_F(Warnings, go_to_stderr_without_a_handler) {
  EXPECT_EQ(printed_by([] { warn("one\n  two"); }), "weft: one\n  two\n");
}

TEST_F(Warnings, go_to_the_handler_and_after_it_to_stderr_again) {
  std::vector<std::string> texts;
  const auto printed = printed_by([&] {
    set_warning_handler([&](const std::string& text) { texts.push_back(text); });
    warn("one");
    set_warning_handler({});
    warn("two");
  });
  EXPECT_EQ(texts, std::vector<std::string>{"one"});
  EXPECT_EQ(printed, "weft: two\n");
}

TEST_F(Warnings, are_printed_if_the_handler_throws) {
  set_warning_handler([](const std::string&) { throw std::runtime_error("no"); });
  EXPECT_EQ(printed_by([] { warn("one"); }), "weft: one\n");
}

TEST_F(Warnings, a_handler_may_set_another_one) {
  int calls = 0;
  set_warning_handler([&](const std::string&) {
    set_warning_handler([&](const std::string&) { calls += 10; });
    ++calls;
  });
  warn("one");
  warn("two");
  EXPECT_EQ(calls, 11);
}

TEST_F(Warnings, come_from_any_thread_while_handlers_change) {
  std::atomic<int> first = 0, second = 0;
  const auto count_in = [](std::atomic<int>& n) { return [&n](const std::string&) { ++n; }; };
  set_warning_handler(count_in(first));
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([] {
        for (int i = 0; i < 1000; ++i) warn("often");
      });
    for (int i = 0; i < 100; ++i) set_warning_handler(count_in(i % 2 != 0 ? first : second));
  }
  EXPECT_EQ(first + second, 3000);
}

TEST_F(Warnings, the_report_of_a_long_wait_goes_to_the_handler) {
  std::mutex mutex;
  std::string text;
  std::atomic<bool> has_told = false;
  set_warning_handler([&](const std::string& one) {
    const std::lock_guard lock(mutex);
    if (text.empty()) text = one;
    has_told = true;
  });
  run_in_process(2, [&](Transport& world) {
    int value = 0;
    Exchange exchange(world, {.messages = {.watchdog_seconds = world.rank() == 1 ? 0.02 : 0}});
    auto& client = exchange.client("late");
    if (world.rank() == 0)
      client.send(1, 5, contiguous(std::span(&value, 1)));
    else
      client.receive(0, 5, contiguous(std::span(&value, 1)));
    exchange.commit();
    auto messages = exchange.start();
    while (world.rank() == 0 && !has_told) std::this_thread::yield();
    messages.ready_all(0, 0);
    messages.wait();
  });
  EXPECT_THAT(text, StartsWith("Rank 1 has waited "));
  EXPECT_THAT(text, HasSubstr(" s in round 0 for:\n  Client 'late', key 5 from rank 0, 4 bytes"));
}

}  // namespace
}  // namespace weft
