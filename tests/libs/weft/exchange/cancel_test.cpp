// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks cancel a start that is not waited for, and the program continues, any number of times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

#if defined(WEFT_SANITIZED)
constexpr std::size_t many_numbers = 8192;
#else
constexpr std::size_t many_numbers = 131072;  // 1 MiB
#endif

// Messages between all ranks, in two rounds, and a sum over all ranks: everything that can be in flight.
struct Everybody {
  Everybody(Transport& transport, std::size_t n, ExchangeOptions options, bool reduces = true)
      : world(transport), numbers(n), exchange(transport, std::move(options)) {
    auto& client = exchange.client("everybody");
    const auto ranks = static_cast<std::size_t>(world.size());
    for (int round = 0; round < 2; ++round) {
      out.emplace_back(ranks * n);
      in.emplace_back(ranks * n);
    }
    for (int round = 0; round < 2; ++round)
      for (int rank = 0; rank < world.size(); ++rank) {
        const auto r = static_cast<std::size_t>(round), first = static_cast<std::size_t>(rank) * n;
        const auto sent = std::span(out[r]).subspan(first, n), received = std::span(in[r]).subspan(first, n);
        const auto key = static_cast<Key>(2 * round);
        client.send(rank, key, contiguous(sent.first(n / 2)), round);
        client.receive(rank, key, contiguous(received.first(n / 2)), round);
        client.send(rank, key + 1, contiguous(sent.subspan(n / 2)), round);
        client.receive(rank, key + 1, contiguous(received.subspan(n / 2)), round);
      }
    for (int round = 0; round < 2 && reduces; ++round)
      client.all_reduce(std::span<const double>(&one, 1), std::span(&sums[round], 1), sum<double>(), round);
    has_sums = reduces;
    exchange.commit();
  }

  // A whole start, with a right result.
  void step(int number) {
    auto messages = exchange.start();
    for (int round = 0; round < 2; ++round) {
      const auto r = static_cast<std::size_t>(round);
      for (std::size_t i = 0; i < out[r].size(); ++i) out[r][i] = value(world.rank(), round, i, number);
      messages.ready_all(0, round);
      messages.accept_all(0, round);
      messages.wait(round);
      bool right = !has_sums || sums[round] == world.size();
      for (int rank = 0; rank < world.size(); ++rank)
        for (std::size_t i = 0; i < numbers; ++i) {
          const auto sent = static_cast<std::size_t>(world.rank()) * numbers + i;
          const auto at = static_cast<std::size_t>(rank) * numbers + i;
          right = right && in[r][at] == value(rank, round, sent, number);
        }
      EXPECT_TRUE(right) << "step " << number << ", round " << round;
    }
  }
  static double value(int rank, int round, std::size_t i, int step) {
    return rank + 10 * round + 100 * step + 1e-6 * static_cast<double>(i);
  }

  // A start in which each rank fails at another point.
  void fail(int where) {
    const int here = (where + world.rank()) % 5;
    auto messages = exchange.start();
    if (here == 0) throw Error("nothing is ready.", true);
    if (here == 1) {
      messages.ready(SendPart{{0, 0}});
      throw Error("a part is ready.", true);
    }
    messages.ready_all(0, 0);
    if (here == 2) throw Error("round 0 is ready.", true);
    if (here == 3) {
      messages.test();
      throw Error("round 0 has begun to move.", true);
    }
    messages.accept_all(0, 0);
    messages.wait(0);
    messages.ready_all(0, 1);
    throw Error("round 1 is ready.", true);
  }

  Transport& world;
  std::size_t numbers;
  std::vector<std::vector<double>> out, in;
  double one = 1, sums[2] = {0, 0};
  bool has_sums = true;
  Exchange exchange;
};

void fail_and_go_on(Transport& world, std::size_t numbers, int times, const ExchangeOptions& options) {
  Everybody everybody(world, numbers, options);
  for (int step = 0; step < times; ++step) {
    EXPECT_NE(error_of([&] { everybody.fail(step); }), "no error");
    EXPECT_TRUE(everybody.exchange.is_cancelled());
    everybody.step(step);
    EXPECT_FALSE(everybody.exchange.is_cancelled());
  }
  EXPECT_EQ(abandoned_operations(), 0);
}

TEST(LetGo, is_settled_and_started_again) {
  on(any_ranks, [](Transport& world) { fail_and_go_on(world, 4, 25, {}); });
}

TEST(LetGo, with_messages_that_wait_for_their_receiver) {
  on(any_ranks, [](Transport& world) { fail_and_go_on(world, many_numbers, 3, {}); });
}

TEST(LetGo, whatever_carries_the_messages) {
  on(any_ranks, [](Transport& world) {
    for (const auto carrier : carriers_of(world))
      for (const bool deferred : {false, true})
        for (const auto grouping : {Grouping::per_peer, Grouping::per_part})
          fail_and_go_on(
              world, 400, 3,
              {.messages = {
                   .grouping = grouping, .piece_bytes = 512, .carrier = carrier, .defer_unpacking = deferred}});
  });
}

TEST(LetGo, in_shared_memory) {
  on(any_ranks, [](Transport& world) {
    if (!world.has(Ability::shared_memory)) return;
    fail_and_go_on(world, 200, 6, {.messages = {.shared_memory = true}});
    fail_and_go_on(world, 200, 6, {.messages = {.shared_memory = true, .defer_unpacking = true}});
  });
}

TEST(LetGo, whoever_drives) {
  on(any_ranks, [](Transport& world) {
    using K = ProgressOptions::Kind;
    for (const auto kind : {K::passive, K::thread, K::send_receive_threads}) {
      if (kind != K::passive && !world.thread_multiple()) continue;
      fail_and_go_on(world, 2000, 10, {.progress = std::make_shared<Progress>(world, ProgressOptions{.kind = kind})});
    }
  });
}

// No rank receives a part that was not marked ready.
TEST(LetGo, what_is_not_ready_is_not_used) {
  on(any_ranks, [](Transport& world) {
    Everybody everybody(world, 4, {}, false);
    static_cast<void>(everybody.exchange.start());
    EXPECT_TRUE(everybody.exchange.is_cancelled());
    for (const auto& round : everybody.in)
      for (const double number : round) EXPECT_EQ(number, 0);
    everybody.step(1);
  });
}

// Not even if some pieces of its message were sent.
TEST(LetGo, the_rest_of_a_message_is_not_used) {
  on(2_ranks, [](Transport& world) {
    for (const auto carrier : carriers_of(world)) {
      std::vector<double> out(400), in(400);
      Exchange exchange(world, {.messages = {.piece_bytes = 256, .carrier = carrier}});
      auto& client = exchange.client("pieces");
      for (std::size_t part = 0; part < 4; ++part)
        if (world.rank() == 0)
          client.send(1, part, contiguous(std::span(out).subspan(100 * part, 100)));
        else
          client.receive(0, part, contiguous(std::span(in).subspan(100 * part, 100)));
      exchange.commit();
      for (int step = 1; step < 4; ++step) {
        EXPECT_NE(error_of([&] {
                    auto messages = exchange.start();
                    if (world.rank() == 1) return messages.wait();
                    messages.ready(SendPart{{0, 0}});
                    throw Error("one part is ready.");
                  }),
                  "no error");
        exchange.settle();  // until then the first piece may still be sent from `out`
        std::fill(out.begin(), out.end(), step);
        auto messages = exchange.start();
        messages.ready_all(0, 0);
        messages.wait();
        EXPECT_EQ(in.back(), world.rank() == 1 ? step : 0);
        barrier(world);
      }
    }
  });
}

// A rank that waits for a rank that has cancelled gets an error, cancels as well, and all continue.
TEST(LetGo, is_told_to_those_who_wait) {
  on({2, 4}, [](Transport& world) {
    Everybody everybody(world, 100, {});
    for (int step = 0; step < 5; ++step) {
      const int failing = step % world.size();
      const auto said = error_of([&] {
        auto messages = everybody.exchange.start();
        if (world.rank() == failing) throw Error("this rank fails.");
        messages.ready_all(0, 0);
        messages.wait();
      });
      if (world.rank() == failing) {
        EXPECT_EQ(said, "this rank fails.");
      } else {
        EXPECT_THAT(said, HasSubstr("has cancelled start " + std::to_string(everybody.exchange.starts()) +
                                    " of the exchange of 'everybody'"));
      }
      everybody.step(step);
    }
    EXPECT_EQ(abandoned_operations(), 0);
  });
}

// Ranks that cancel at very different times agree in the next start.
TEST(LetGo, much_later_than_another_rank) {
  on({2, 3}, [](Transport& world) {
    Everybody everybody(world, 20000, {});
    {
      auto messages = everybody.exchange.start();
      if (world.rank() == 0) {
        const auto longer = world.seconds_to_arrive() * 1.5;
        std::this_thread::sleep_for(std::chrono::duration<double>(longer));
      } else {
        messages.ready(SendPart{{0, 0}});
      }
    }
    everybody.step(1);
    EXPECT_EQ(abandoned_operations(), 0);
  });
}

// The memory is freed with the exchange: no request is left that could write into it.
TEST(LetGo, and_gone_with_its_memory) {
  on(any_ranks, [](Transport& world) {
    for (int life = 0; life < 10; ++life)
      EXPECT_NE(error_of([&] {
                  Everybody everybody(world, life % 2 == 0 ? 10 : 50000, {});
                  everybody.fail(life);
                }),
                "no error");
    EXPECT_EQ(abandoned_operations(), 0);
    Everybody(world, 100, {}).step(1);
  });
}

// A client of a StepManager, with small or large messages.
struct FailingRing : Client {
  FailingRing(Transport& transport, std::size_t n) : world(transport), out(n), in(n) {}
  void request(Requests& requests) override {
    requests.send((world.rank() + 1) % world.size(), 1, contiguous(std::span(out)));
    requests.receive((world.rank() + world.size() - 1) % world.size(), 1, contiguous(std::span(in)));
    requests.all_reduce(std::span<const double>(&one, 1), std::span(&all, 1), sum<double>());
  }
  void before(Step& step) override {
    if (fails_in == 0) throw Error("before", true);
    std::fill(out.begin(), out.end(), 1000.0 * world.rank() + static_cast<double>(step.number()));
  }
  void during(Step&) override {
    if (fails_in == 1) throw Error("during", true);
  }
  void after(Step& step) override {
    if (fails_in == 2) throw Error("after", true);
    const double left = 1000.0 * ((world.rank() + world.size() - 1) % world.size());
    EXPECT_EQ(in.front(), left + static_cast<double>(step.number()));
    EXPECT_EQ(in.back(), left + static_cast<double>(step.number()));
    EXPECT_EQ(all, world.size());
  }
  Transport& world;
  std::vector<double> out, in;
  double one = 1, all = 0;
  int fails_in = -1;
};

TEST(LetGo, a_step_manager_goes_on_for_a_hundred_steps) {
  on(any_ranks, [](Transport& world) {
    for (const bool coalesce : {true, false})
      for (const std::size_t numbers : {std::size_t{1}, many_numbers}) {
        FailingRing first(world, numbers), second(world, numbers);
        StepManager steps(world, {.coalesce = coalesce});
        steps.add("first", first);
        steps.add("second", second);
        for (int failure = 0; failure < 9; ++failure) {
          auto& failing = failure % 2 == 0 ? first : second;
          failing.fails_in = failure % 3;
          EXPECT_NE(error_of([&] { steps.run_step(); }), "no error");
          failing.fails_in = -1;
          steps.run_step();
        }
        for (int step = 0; step < 100; ++step) steps.run_step();
        EXPECT_EQ(steps.step(), 109);
      }
    EXPECT_EQ(abandoned_operations(), 0);
  });
}

// The messages of the failed step are received in the memory from before changed(), not in the new one.
TEST(LetGo, a_client_gives_its_memory_up_after_a_failed_step) {
  on({2, 3}, [](Transport& world) {
    struct Growing : FailingRing {
      using FailingRing::FailingRing;
      void request(Requests& requests) override {
        out = std::vector<double>(out.size() + 1000);
        in = std::vector<double>(out.size());
        FailingRing::request(requests);
      }
    } client(world, 1000);
    StepManager steps(world);
    steps.add("growing", client);
    for (int step = 0; step < 3; ++step) {
      client.fails_in = 1;
      barrier(world);
      if (world.rank() == 0)
        std::this_thread::sleep_for(std::chrono::duration<double>(1.5 * world.seconds_to_arrive()));
      EXPECT_NE(error_of([&] { steps.run_step(); }), "no error");
      client.fails_in = -1;
      steps.changed(client);
      steps.run_step();
    }
  });
}

}  // namespace
}  // namespace weft
