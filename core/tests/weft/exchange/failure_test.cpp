// SPDX-License-Identifier: BSD-3-Clause
//
// A start that fails on one rank fails on all, for good, and a new object works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/exchange/message_space.hpp"
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
    barrier(world);  // a rank that is still in commit() would get the failure there
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

// The memory of the failed start may be overwritten and freed at once: valgrind and the sanitizers would see it.
void fail_and_begin_anew(Transport& world, std::size_t numbers, int times, const ExchangeOptions& options) {
  for (int step = 0; step < times; ++step) {
    {
      Everybody everybody(world, numbers, options);
      if (step % 2 == 1) everybody.step(step);
      barrier(world);  // a rank that is still in that step would get the error there
      EXPECT_NE(error_of([&] { everybody.fail(step); }), "no error");
      EXPECT_TRUE(everybody.exchange.has_failed());
      for (auto* all : {&everybody.out, &everybody.in})
        for (auto& one : *all) one = {};
      EXPECT_THAT(error_of([&] { static_cast<void>(everybody.exchange.start()); }),
                  HasSubstr("The exchange of 'everybody' has failed (rank "));
    }
    Everybody(world, numbers, options).step(step);
  }
  EXPECT_EQ(abandoned_operations(), 0);
}

TEST(Failure, is_final_and_a_new_exchange_works) {
  on(any_ranks, [](Transport& world) { fail_and_begin_anew(world, 4, 10, {}); });
}

TEST(Failure, with_messages_that_wait_for_their_receiver) {
  on(any_ranks, [](Transport& world) { fail_and_begin_anew(world, many_numbers, 3, {}); });
}

TEST(Failure, whatever_carries_the_messages) {
  on(any_ranks, [](Transport& world) {
    for (const auto carrier : carriers_of(world))
      for (const bool deferred : {false, true})
        for (const auto grouping : {Grouping::per_peer, Grouping::per_part})
          fail_and_begin_anew(
              world, 400, 2,
              {.messages = {
                   .grouping = grouping, .piece_bytes = 512, .carrier = carrier, .defer_unpacking = deferred}});
  });
}

TEST(Failure, in_shared_memory) {
  on(any_ranks, [](Transport& world) {
    if (!world.has(Ability::shared_memory)) return;
    fail_and_begin_anew(world, 200, 4, {.messages = {.shared_memory = true}});
    fail_and_begin_anew(world, 200, 4, {.messages = {.shared_memory = true, .defer_unpacking = true}});
  });
}

TEST(Failure, whoever_makes_progress) {
  on(any_ranks, [](Transport& world) {
    using K = ProgressOptions::Kind;
    for (const auto kind : {K::passive, K::thread, K::send_receive_threads}) {
      if (kind != K::passive && !world.thread_multiple()) continue;
      fail_and_begin_anew(world, 2000, 5,
                          {.progress = std::make_shared<Progress>(world, ProgressOptions{.kind = kind})});
    }
  });
}

TEST(Failure, uses_nothing_that_is_not_ready) {
  on(any_ranks, [](Transport& world) {
    Everybody everybody(world, 4, {}, false);
    error_of([&] { static_cast<void>(everybody.exchange.start()); });  // another rank may have failed before
    EXPECT_TRUE(everybody.exchange.has_failed());
    for (const auto& round : everybody.in)
      for (const double number : round) EXPECT_EQ(number, 0);
  });
}

// Each call of a failed exchange says the same on all ranks; an error of a progress call keeps its text.
TEST(Failure, names_the_first_rank_and_its_error) {
  on({2, 4}, [](Transport& world) {
    for (int failing = 0; failing < world.size(); ++failing) {
      Everybody everybody(world, 100, {});
      auto& exchange = everybody.exchange;
      everybody.step(0);
      barrier(world);
      const auto said = error_of([&] {
        auto messages = exchange.start();
        if (world.rank() == failing) messages.fail("this rank fails.");
        messages.ready_all(0, 0);
        messages.wait();
      });
      const auto sentence = "The exchange of 'everybody' has failed (rank " + std::to_string(failing) +
                            ": this rank fails.). Make a new one.";
      if (world.rank() != failing) {
        EXPECT_EQ(said, sentence);
      }
      EXPECT_EQ(error_of([&] { static_cast<void>(exchange.start()); }), sentence);
      EXPECT_EQ(error_of([&] { exchange.commit(); }), sentence);
      EXPECT_EQ(error_of([&] { exchange.rebind({0, 0}, {}); }), sentence);
      EXPECT_EQ(error_of([&] { static_cast<void>(exchange.sent_bytes(SendPart{{0, 0}})); }), sentence);
      EXPECT_EQ(error_of([&] { exchange.client("another"); }), sentence);
    }
  });
}

// Ranks that get to the failed start much later than the first, with messages that wait for their receivers.
TEST(Failure, much_later_than_another_rank) {
  on({2, 3}, [](Transport& world) {
    for (const std::size_t numbers : {std::size_t{10}, std::size_t{20000}}) {
      Everybody everybody(world, numbers, {});
      if (world.rank() == 0)
        std::this_thread::sleep_for(std::chrono::duration<double>(world.seconds_to_arrive() * 1.5));
      EXPECT_NE(error_of([&] {
                  auto messages = everybody.exchange.start();
                  if (world.rank() == 1) throw Error("on purpose");
                  messages.ready_all(0, 0);
                  messages.wait();
                }),
                "no error");
      Everybody(world, numbers, {}).step(1);
    }
    EXPECT_EQ(abandoned_operations(), 0);
  });
}

// A continuation on a progress thread fails another exchange, which the computing thread uses no more: it serves it in
// its other waits.
TEST(Failure, on_a_progress_thread) {
  on({2, 3}, [](Transport& world) {
    Everybody everybody(world, 20000, {});
    if (world.rank() == 0) {
      std::thread progress([&] { everybody.exchange.fail("on purpose"); });
      progress.join();
    } else {
      std::this_thread::sleep_for(std::chrono::duration<double>(world.seconds_to_arrive() * 1.5));
      EXPECT_THAT(error_of([&] {
                    for (int step = 0;; ++step) everybody.step(step);
                  }),
                  HasSubstr("on purpose"));
      everybody.out = everybody.in = {};
    }
    EXPECT_EQ(all_reduce(world, 1, sum<int>()), world.size());
  });
}

// Rank 1 sends, and never waits for a message: it learns of the failure in a later start.
TEST(Failure, is_told_to_those_who_only_send) {
  on(2_ranks, [](Transport& world) {
    int number = 0;
    Exchange exchange(world);
    auto& client = exchange.client("one way");
    world.rank() == 0 ? static_cast<void>(client.receive(1, 1, contiguous(std::span(&number, 1))))
                      : static_cast<void>(client.send(0, 1, contiguous(std::span(&number, 1))));
    exchange.commit();
    barrier(world);
    if (world.rank() == 0) return exchange.fail("rank 0 has enough");
    const auto said = error_of([&] {
      for (;;) {
        auto messages = exchange.start();
        messages.ready_all(0, 0);
        messages.wait();
      }
    });
    EXPECT_THAT(said, HasSubstr("rank 0 has enough"));
  });
}

TEST(Failure, is_told_to_those_who_only_test) {
  on({2, 3}, [](Transport& world) {
    Everybody everybody(world, 100, {});
    if (world.rank() == 0) return everybody.exchange.fail("rank 0 gives up");
    const auto said = error_of([&] {
      auto messages = everybody.exchange.start();
      messages.ready_all(0, 0);
      while (!messages.test()) std::this_thread::yield();
    });
    EXPECT_THAT(said, HasSubstr("rank 0 gives up"));
  });
}

// Rank 0 leaves two starts where it handles an exception. It does not wait for the first one, since the others wait for
// the second one first.
TEST(Failure, of_starts_that_are_dropped_in_a_handler) {
  on({2, 3}, [](Transport& world) {
    Everybody first(world, 100, {}, false), second(world, 100, {}, false);
    auto one = first.exchange.start(), two = second.exchange.start();
    barrier(world);  // a start after the failure would throw itself
    if (world.rank() == 0) {
      one.ready_all(0, 0);
      one.ready_all(0, 1);
      try {
        throw Error("on purpose");
      } catch (const Error&) {
        one = {};
        two = {};
      }
      EXPECT_TRUE(first.exchange.has_failed());
      return;
    }
    two.ready_all(0, 0);
    two.ready_all(0, 1);
    EXPECT_THAT(error_of([&] { two.wait(); }), HasSubstr("an exception interrupted a start"));
    EXPECT_NE(error_of([&] { one.wait(); }), "no error");
  });
}

// Of two exchanges that share a duplicate, rank 0 fails in one while the others wait in the other one, or commit a
// third.
TEST(Failure, is_one_for_all_exchanges_of_a_space) {
  on({2, 3}, [](Transport& world) {
    for (const bool commits : {false, true}) {
      MessageSpace space(world);
      std::vector<double> out(5000), in(5000);
      const auto ring = [&](Exchange& exchange) {
        auto& client = exchange.client("ring");
        client.send((world.rank() + 1) % world.size(), 1, contiguous(std::span(out)));
        client.receive((world.rank() + world.size() - 1) % world.size(), 1, contiguous(std::span(in)));
        exchange.commit();
      };
      Exchange first(space), second(space);
      ring(first);
      ring(second);
      barrier(world);
      const auto said = error_of([&] {
        if (world.rank() == 0) return first.fail("on purpose");
        if (commits) {
          Exchange third(space);
          return ring(third);
        }
        for (;;) {  // a rank that needs nothing of rank 0 learns it in a later start
          auto messages = second.start();
          messages.ready_all(0, 0);
          messages.wait();
        }
      });
      EXPECT_EQ(said == "no error", world.rank() == 0) << said;
      EXPECT_TRUE(first.has_failed());
      EXPECT_THAT(error_of([&] { static_cast<void>(second.start()); }), HasSubstr("(rank 0: on purpose)"));
    }
    EXPECT_EQ(abandoned_operations(), 0);
    Everybody(world, 100, {}).step(1);
  });
}

// Collectives of two exchanges that were started on some ranks only.
TEST(Failure, leaves_collectives_that_not_all_ranks_have_started) {
  on({2, 3}, [](Transport& world) {
    for (int life = 0; life < 3; ++life) {
      std::vector<double> few(1), many(3000);
      MessageSpace space(world);
      Exchange first(space), second(space);
      first.client("few").broadcast(1, std::span(few));
      second.client("many").broadcast(1, std::span(many));
      first.commit();
      second.commit();
      barrier(world);
      EXPECT_NE(error_of([&] {
                  auto a = first.start(), b = second.start();
                  if (world.rank() != 1 && life < 2) throw Error("on purpose");
                  a.ready_all(0, 0);
                  if (life == 2 && world.rank() == 1) throw Error("on purpose");
                  b.ready_all(0, 0);
                  a.wait();
                  b.wait();
                }),
                "no error");
    }
    EXPECT_EQ(abandoned_operations(), 0);
    Everybody(world, 100, {}).step(1);
  });
}

// On a progress thread, too.
TEST(Failure, of_another_exchange_in_a_continuation) {
  on(2_ranks, [](Transport& world) {
    for (const auto kind : {ProgressOptions::Kind::polling, ProgressOptions::Kind::thread}) {
      auto progress = std::make_shared<Progress>(world, ProgressOptions{.kind = kind});
      int out[2] = {1, 2}, in[2] = {};
      Exchange inner(world, {.progress = progress}), outer(world, {.progress = progress});
      const auto link = [&](Requests& client, int k) {
        client.send(1 - world.rank(), 1, contiguous(std::span(&out[k], 1)));
        client.receive(1 - world.rank(), 1, contiguous(std::span(&in[k], 1)));
      };
      link(inner.client("inner"), 0);
      inner.commit();
      auto& client = outer.client("outer");
      link(client, 1);
      client.continuation(0, [&] {
        const auto started = inner.start();
        throw Error("in the continuation");
      });
      outer.commit();
      EXPECT_THAT(error_of([&] {
                    auto messages = outer.start();
                    messages.ready_all(0, 0);
                    messages.wait();
                  }),
                  ::testing::AnyOf(HasSubstr("in the continuation"), HasSubstr("an exception interrupted a start")));
      EXPECT_TRUE(inner.has_failed());
    }
  });
}

TEST(Failure, of_a_continuation_that_waits_for_its_own_start) {
  on(2_ranks, [](Transport& world) {
    int out[2] = {1, 2}, in[2] = {};
    Exchange exchange(world);
    auto& client = exchange.client("chain");
    StartedExchange messages;
    for (int round = 0; round < 2; ++round) {
      const auto key = static_cast<Key>(round);
      client.send(1 - world.rank(), key, contiguous(std::span(&out[round], 1)), round);
      client.receive(1 - world.rank(), key, contiguous(std::span(&in[round], 1)), round);
    }
    client.continuation(0, [&] { messages.wait(0); });
    exchange.commit();
    messages = exchange.start();
    EXPECT_THAT(error_of([&] {
                  messages.ready_all(0, 0);
                  messages.wait();
                }),
                HasSubstr("A continuation waits for its own start"));
  });
}

// A receiver reads the memory of the sender itself: not any more once the sender has failed.
TEST(Failure, takes_shared_memory_away_from_its_readers) {
  on(2_ranks, [](Transport& world) {
    if (!world.has(Ability::shared_memory) || !world.shares_memory_with(1 - world.rank())) return;
    std::shared_ptr<SharedMemory> memory = world.share(sizeof(int));
    auto* out = new (memory->at(world.rank())) int(1);
    int in = 0;
    Exchange exchange(world, {.messages = {.shared_memory = true}, .memory = memory});
    auto& client = exchange.client("seen");
    const auto sent = client.send(1 - world.rank(), 1, contiguous(std::span<const int>(out, 1)));
    client.receive(1 - world.rank(), 1, contiguous(std::span(&in, 1)));
    exchange.commit();
    barrier(world);
    auto messages = exchange.start();
    messages.ready(sent);
    barrier(world);  // a start after the failure would throw itself
    if (world.rank() == 0) {
      messages.fail("on purpose");
      *out = 2;
      barrier(world);
    } else {
      barrier(world);
      EXPECT_THAT(error_of([&] { messages.wait(); }), HasSubstr("on purpose"));
      EXPECT_EQ(in, 0);
    }
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

TEST(Failure, of_a_step_is_final_and_its_clients_may_go) {
  on(any_ranks, [](Transport& world) {
    for (const bool coalesce : {true, false})
      for (const std::size_t numbers : {std::size_t{1}, many_numbers})
        for (int failure = 0; failure < 6; ++failure) {
          auto first = std::make_unique<FailingRing>(world, numbers),
               second = std::make_unique<FailingRing>(world, numbers);
          StepManager steps(world, {.coalesce = coalesce});
          steps.add("first", *first);
          steps.add("second", *second);
          steps.run_step();
          barrier(world);
          auto& failing = failure % 2 == 0 ? *first : *second;
          if (failure < 3 || world.rank() == 0) failing.fails_in = failure % 3;
          const auto said = error_of([&] {
            for (;;) steps.run_step();
          });
          if (failing.fails_in < 0) {
            EXPECT_THAT(said, HasSubstr("The StepManager has failed (rank 0: "));
          }
          first.reset();  // before the manager
          second.reset();
          EXPECT_TRUE(steps.has_failed());
          for (const auto& later :
               {error_of([&] { steps.run_step(); }), error_of([&] { steps.start_at(0); }),
                error_of([&] { static_cast<void>(steps.step()); }), error_of([&] { steps.measure_alone(1); }),
                error_of([&] { steps.use({}); }), error_of([&] { static_cast<void>(steps.describe()); })})
            EXPECT_THAT(later, HasSubstr("The StepManager has failed (rank "));
        }
    EXPECT_EQ(abandoned_operations(), 0);
    FailingRing ring(world, 10);
    StepManager steps(world);
    steps.add("ring", ring);
    for (int step = 0; step < 10; ++step) steps.run_step();
  });
}

// Rank 0 fails in `after` of a step that the others have completed: they wait in the next one, of other clients, whose
// exchange may not be committed yet.
TEST(Failure, of_a_step_is_told_to_ranks_in_the_next) {
  on({2, 3}, [](Transport& world) {
    for (const int failing_step : {0, 4}) {
      FailingRing even(world, 3000), odd(world, 3000);
      StepManager steps(world);
      steps.add("even", even, {.every = 2});
      steps.add("odd", odd, {.every = 2, .offset = 1});
      const auto said = error_of([&] {
        for (int step = 0;; ++step) {
          if (world.rank() == 0 && step == failing_step) even.fails_in = 2;
          steps.run_step();
        }
      });
      EXPECT_THAT(said, HasSubstr("after"));
    }
    EXPECT_EQ(abandoned_operations(), 0);
  });
}

// A rank whose memory is in use waits until the others have come, however late.
TEST(Failure, of_a_step_waits_for_ranks_that_are_behind) {
  on({2, 3}, [](Transport& world) {
    FailingRing ring(world, many_numbers);
    StepManager steps(world);
    steps.add("ring", ring);
    steps.run_step();
    barrier(world);
    if (world.rank() != 0)
      std::this_thread::sleep_for(std::chrono::duration<double>(1.5 * world.seconds_to_arrive()));
    else
      ring.fails_in = 1;
    EXPECT_THAT(error_of([&] {
                  for (;;) steps.run_step();  // that of the failure, or the next
                }),
                HasSubstr("during"));
    ring.out = ring.in = {};
    EXPECT_EQ(abandoned_operations(), 0);
  });
}

}  // namespace
}  // namespace weft
