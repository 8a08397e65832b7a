// SPDX-License-Identifier: BSD-3-Clause
//
// Progress of messages between post and wait, and the report of a wait that takes too long.
#include "weft/progress/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "tests/support/core_ranks.hpp"
#include "weft/clock.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/timeout.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Kind = ProgressOptions::Kind;

TEST(Progress, has_names) {
  for (const auto kind : {Kind::passive, Kind::polling, Kind::thread, Kind::send_receive_threads})
    EXPECT_EQ(progress_kind(name_of(kind)), kind);
  try {
    progress_kind("magic");
    ADD_FAILURE() << "no error";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "Unknown progress mode 'magic'. Use one of: passive, polling, thread, send_receive_threads.");
    EXPECT_TRUE(e.everywhere());
  }
}

TEST(Progress, a_thread_that_the_transport_can_not_have_is_an_error) {
  run_in_process(2,
                 [](Transport& world) {
                   EXPECT_EQ(
                       error_of([&] { Progress(world, {.kind = Kind::thread}); }),
                       "Progress mode 'thread' needs MPI_THREAD_MULTIPLE, which MPI does not provide (in-process). "
                       "Initialise MPI with MPI_THREAD_MULTIPLE, or use 'polling'.");
                   Progress passive(world, {.kind = Kind::passive}), polling(world, {.kind = Kind::polling});
                 },
                 {.thread_multiple = false});
}

// An object that needs `work` progress calls.
struct Chore : Progressable {
  std::atomic<int> work{0}, calls{0}, looks{0};  // looks: calls that found nothing to do
  Result drive() noexcept override {
    ++calls;
    if (work == 0) {
      ++looks;
      return Result::idle;
    }
    return --work % 4 == 0 ? Result::advanced : Result::waiting;
  }
};

void wait_for(const std::function<bool()>& condition) {
  for (const double from = now_seconds(); !condition();) {
    if (now_seconds() - from > 20) throw Error("it never happened.");
    std::this_thread::sleep_for(50us);
  }
}

TEST(Progress, a_thread_drives_what_is_woken_and_sleeps_otherwise) {
  run_in_process(1, [](Transport& world) {
    Progress progress(world, {.kind = Kind::thread});
    Chore chore;
    progress.attach(chore);
    for (int repeat = 0; repeat < 200; ++repeat) {
      chore.work = 1 + repeat % 7;
      progress.wake();
      wait_for([&] { return chore.work == 0; });
    }
    // After a call that finds nothing to do the thread sleeps, unless it was woken since the call before. So at most
    // two calls follow a last wake, and a thread that does not sleep would soon have made a thousand.
    wait_for([&] { return chore.looks > 0; });
    const int looks = chore.looks;
    progress.wake();
    wait_for([&] { return chore.looks > looks; });
    for (int i = 0; i < 400; ++i) std::this_thread::sleep_for(50us);
    EXPECT_LE(chore.looks, looks + 2);
    progress.detach(chore);  // waits for a call in progress
    const int calls = chore.calls;
    progress.wake();
    std::this_thread::sleep_for(2ms);
    EXPECT_EQ(chore.calls, calls);
  });
}

TEST(Progress, a_thread_always_ends) {
  run_in_process(1, [](Transport& world) {
    for (int repeat = 0; repeat < 2000; ++repeat) {
      Progress progress(world, {.kind = Kind::thread});
      if (repeat % 2 == 0) progress.wake();
    }
  });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these need more memory than that
TEST(Progress, a_thread_that_can_not_start_is_an_error) {
  const auto starts_thread = [] {
    run_in_process(1, [](Transport& world) {
      const auto said = error_of([&] {
        rlimit limit{};
        std::ifstream("/proc/self/statm") >> limit.rlim_cur;
        limit.rlim_cur = limit.rlim_max = limit.rlim_cur * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (1 << 20);
        ::setrlimit(RLIMIT_AS, &limit);
        Progress(world, {.kind = Kind::thread});
      });
      std::fputs(said.c_str(), stderr);
      std::_Exit(said == "no error" ? 1 : 0);
    });
  };
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(starts_thread(), ::testing::ExitedWithCode(0),
              "A progress thread can't start \\(.*\\)\\. Allow this process more");
}
#endif

TEST(Progress, polling_drives_at_most_once_an_interval) {
  run_in_process(1, [](Transport& world) {
    Progress rarely(world, {.kind = Kind::polling, .interval_seconds = 3600}),
        always(world, {.kind = Kind::polling, .interval_seconds = 0}), never(world, {.kind = Kind::passive});
    Chore chore;
    for (int i = 0; i < 100; ++i) rarely.poll(chore);
    EXPECT_LE(chore.calls, 1);
    chore.calls = 0;
    for (int i = 0; i < 100; ++i) always.poll(chore);
    EXPECT_EQ(chore.calls, 100);
    for (int i = 0; i < 100; ++i) never.poll(chore);
    EXPECT_EQ(chore.calls, 100);
  });
}

// Seconds that rank 1 waits, after `compute`, for a message that was sent long ago but needs 30 tests to arrive.
double wait_after(std::optional<Kind> kind, const std::function<void(StartedExchange&, ReceivePart)>& compute) {
  double waited = -1;
  run_in_process(2,
                 [&](Transport& world) {
                   Timeline timeline;
                   std::shared_ptr<Progress> progress;
                   if (kind)
                     progress =
                         std::make_shared<Progress>(world, ProgressOptions{.kind = *kind, .interval_seconds = 0});
                   std::vector<double> data(1000, world.rank());
                   Exchange exchange(world, {.progress = progress, .timeline = &timeline});
                   auto& client = exchange.client("far");
                   const auto column = box(data.data(), {500, 2}, {0, 0}, {500, 1});
                   ReceivePart part;
                   if (world.rank() == 0)
                     client.send(1, 1, column);
                   else
                     part = client.receive(0, 1, column);
                   exchange.commit();
                   auto messages = exchange.start();
                   messages.ready_all(0, 0);
                   barrier(world);
                   if (world.rank() == 1) compute(messages, part);
                   messages.wait();
                   if (world.rank() == 1) waited = timeline.total_seconds(timeline.track("far"), Activity::wait);
                 },
                 {.delay = [](int source, int, int) { return source == 0 ? 30 : 0; }});
  return waited;
}

TEST(Progress, hides_a_message_unless_it_is_passive) {
  // Sleeps long enough for a progress thread to receive the message, also on a busy machine.
  const auto sleep = [](int most) {
    return [most](StartedExchange& messages, ReceivePart part) {
      for (int i = 0; i < most && !messages.arrived(part); ++i) {
        std::this_thread::sleep_for(2ms);
        messages.progress();
      }
    };
  };
  EXPECT_GT(wait_after(Kind::passive, sleep(50)), 0);
  EXPECT_EQ(wait_after(Kind::polling, sleep(2500)), 0);
  EXPECT_EQ(wait_after(std::nullopt, sleep(2500)), 0);  // an exchange without a Progress polls, too
  EXPECT_EQ(wait_after(Kind::thread, sleep(2500)), 0);
}

TEST(Progress, one_thread_serves_many_exchanges_that_come_and_go) {
  for (const bool random : {false, true})
    run_in_process(
        3,
        [](Transport& world) {
          const auto progress = std::make_shared<Progress>(world, ProgressOptions{.kind = Kind::thread});
          const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
          for (int life = 0; life < 10; ++life) {
            std::array<std::vector<int>, 3> out, in;
            std::deque<Exchange> exchanges;
            for (std::size_t e = 0; e < 3; ++e) {
              out[e].assign(50, 0);
              in[e].assign(50, 0);
              auto& client =
                  exchanges
                      .emplace_back(world, ExchangeOptions{.messages = {.grouping = life % 2 ? Grouping::per_peer
                                                                                             : Grouping::per_part},
                                                           .progress = progress})
                      .client("c");
              for (std::size_t i = 0; i < 5; ++i) {
                client.send(right, i, contiguous(std::span(out[e]).subspan(10 * i, 10)));
                client.receive(left, i, contiguous(std::span(in[e]).subspan(10 * i, 10)));
              }
              exchanges.back().commit();
            }
            for (int step = 0; step < 10; ++step) {
              std::array<StartedExchange, 3> started;
              for (std::size_t e = 0; e < 3; ++e) {
                started[e] = exchanges[e].start();
                for (auto& x : out[e]) x = 100 * step + world.rank();
                started[e].ready_all(0, 0);
              }
              for (std::size_t e = 0; e < 3; ++e) {
                started[e].wait();
                EXPECT_EQ(in[e], std::vector<int>(50, 100 * step + left));
              }
            }
          }
        },
        random ? random_arrival(7) : InProcessOptions{});
}

TEST(Progress, a_thread_that_fails_lets_the_wait_throw) {
  EXPECT_THAT(error_of([] {
                run_in_process(2, [](Transport& world) {
                  const auto progress = std::make_shared<Progress>(world, ProgressOptions{.kind = Kind::thread});
                  int value = 0;
                  Exchange exchange(world, {.progress = progress});
                  auto& client = exchange.client("c");
                  if (world.rank() == 0)
                    client.send(1, 1, contiguous(std::span(&value, 1)));
                  else
                    client.receive(0, 1, contiguous(std::span(&value, 1)));
                  exchange.commit();
                  auto messages = exchange.start();
                  if (world.rank() == 0) throw Error("rank 0 is lost.");
                  messages.wait();
                });
              }),
              HasSubstr("rank 0 is lost."));
}

// Captures stderr; the text can be read at any time.
class CapturedErrors {
 public:
  CapturedErrors() {
    std::fflush(stderr);
    ::dup2(::fileno(file_), 2);
  }
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;
  ~CapturedErrors() {
    ::dup2(before_, 2);
    ::close(before_);
    std::fclose(file_);
  }
  std::string text() const {
    char all[4096];
    const auto n = ::pread(::fileno(file_), all, sizeof all, 0);
    return {all, static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  }

 private:
  std::FILE* file_ = std::tmpfile();
  int before_ = ::dup(2);
};

TEST(Watchdog, tells_what_is_missing_from_whom_and_keeps_waiting) {
  std::atomic<bool> prompt_has_left{false};
  const CapturedErrors errors;
  run_in_process(2,
                 [&](Transport& world) {
                   int value = 0, other = 0;
                   Exchange exchange(world, {.messages = {.watchdog_seconds = world.rank() == 1 ? 0.02 : 0}});
                   auto& prompt = exchange.client("prompt");
                   auto& late = exchange.client("late");
                   if (world.rank() == 0) {
                     late.send(1, 5, contiguous(std::span(&value, 1)));
                     prompt.send(1, 6, contiguous(std::span(&other, 1)));
                   } else {
                     late.receive(0, 5, contiguous(std::span(&value, 1)));
                     prompt.receive(0, 6, contiguous(std::span(&other, 1)));
                   }
                   late.barrier();
                   exchange.commit();
                   auto messages = exchange.start();
                   if (world.rank() == 0) {
                     messages.ready_all(0, 0);
                     prompt_has_left = true;
                     wait_for([&] { return !errors.text().empty(); });  // meanwhile rank 1 reports its long wait
                     value = 77;
                   }
                   while (!prompt_has_left) std::this_thread::yield();
                   messages.ready_all(0, 0);
                   messages.ready_all(1, 0);
                   messages.wait();
                   EXPECT_EQ(value, 77);
                 },
                 {.eager_limit_bytes = 1});  // one message per part
  const auto text = errors.text();
  EXPECT_THAT(text, ContainsRegex("weft: Rank 1 has waited [0-9]+ s in round 0 for:\n"));
  EXPECT_THAT(text, HasSubstr("\n  Client 'late', key 5 from rank 0, 4 bytes\n"));
  EXPECT_THAT(text, HasSubstr("\n  Client 'late', barrier 0, 0 bytes\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("prompt")));
}

// The report also comes without a watchdog: before the time-out.
TEST(Watchdog, tells_what_is_missing_before_patience_ends) {
  const CapturedErrors errors;
  timeout().set_limit(0.5);
  run_in_process(2, [&](Transport& world) {
    int value = 0;
    Exchange exchange(world);
    auto& client = exchange.client("late");
    if (world.rank() == 0)
      client.send(1, 5, contiguous(std::span(&value, 1)));
    else
      client.receive(0, 5, contiguous(std::span(&value, 1)));
    exchange.commit();
    auto messages = exchange.start();
    if (world.rank() == 0) wait_for([&] { return !errors.text().empty(); });  // meanwhile rank 1 reports its long wait
    messages.ready_all(0, 0);
    messages.wait();
  });
  timeout().set_limit(0);
  EXPECT_THAT(errors.text(), HasSubstr("\n  Client 'late', key 5 from rank 0, 4 bytes\n"));
}

}  // namespace
}  // namespace weft
