// SPDX-License-Identifier: BSD-3-Clause
//
// Rounds that follow each other without calls from the computation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

constexpr int rounds = 4;

// Each round sends the value received in the round before, plus one. A second client takes part in two rounds, without
// continuation.
struct Chain {
  Chain(Transport& world, const ExchangeOptions& options) : world(world), exchange(world, options) {
    const int left = (world.rank() + world.size() - 1) % world.size(), right = (world.rank() + 1) % world.size();
    auto& chain = exchange.client("chain");
    for (int k = 0; k < rounds; ++k) {
      const auto i = static_cast<std::size_t>(k);
      chain.send(right, static_cast<Key>(k), contiguous(std::span(&out[i], 1)), k);
      chain.receive(left, static_cast<Key>(k), contiguous(std::span(&in[i], 1)), k);
      chain.continuation(k, [this, i] {
        if (i + 1 < rounds) out[i + 1] = in[i] + 1;
        done.fetch_add(1);
      });
    }
    auto& other = exchange.client("other");
    for (int k = 0; k < 2; ++k) {
      const auto i = static_cast<std::size_t>(k);
      others[i] = other.send(right, static_cast<Key>(k), contiguous(std::span(&other_out[i], 1)), k);
      other.receive(left, static_cast<Key>(k), contiguous(std::span(&other_in[i], 1)), k);
    }
    exchange.commit();
  }
  void begin(int step) {
    done = 0;
    out[0] = 1000 * step + 10 * world.rank();
    other_out[0] = 7 * step + world.rank();
    messages = exchange.start();
    messages.ready(others[0]);
    messages.ready_all(0, 0);
  }
  // The second round of the other client needs a call from the computation.
  void middle() {
    messages.wait(0);
    other_out[1] = other_in[0] + 1;
    messages.ready(others[1]);
  }
  void check(int step) {
    const int from = ((world.rank() - rounds) % world.size() + world.size()) % world.size();
    EXPECT_EQ(in.back(), 1000 * step + 10 * from + rounds - 1);
    EXPECT_EQ(done.load(), rounds);
    const int from_two = ((world.rank() - 2) % world.size() + world.size()) % world.size();
    EXPECT_EQ(other_in[1], 7 * step + from_two + 1);
  }

  Transport& world;
  std::array<int, rounds> out{}, in{};
  std::array<int, 2> other_out{}, other_in{};
  std::array<SendPart, 2> others;
  std::atomic<int> done{0};
  Exchange exchange;
  StartedExchange messages;
};

TEST(Continuation, rounds_follow_each_other_in_all_settings) {
  on(any_ranks, [](Transport& world) {
    using K = ProgressOptions::Kind;
    for (const auto kind : {K::passive, K::polling, K::thread, K::send_receive_threads}) {
      if (kind != K::passive && kind != K::polling && !world.thread_multiple()) continue;
      for (const auto grouping : {Grouping::per_peer, Grouping::per_part}) {
        Chain chain(world, {.messages = {.grouping = grouping},
                            .progress = std::make_shared<Progress>(
                                world, ProgressOptions{.kind = kind, .interval_seconds = 0})});
        for (int step = 0; step < 20; ++step) {
          chain.begin(step);
          chain.messages.progress();
          chain.middle();
          chain.messages.wait();
          chain.check(step);
        }
      }
    }
  });
}

TEST(Continuation, needs_no_wait_if_somebody_drives) {
  on(any_ranks, [](Transport& world) {
    Chain chain(world, {.messages = {.grouping = Grouping::per_part},
                        .progress = std::make_shared<Progress>(world, ProgressOptions{.interval_seconds = 0})});
    for (int step = 0; step < 5; ++step) {
      chain.begin(step);
      while (chain.done.load() < rounds) chain.messages.progress();  // would never end if a round needed wait()
      chain.middle();
      chain.messages.wait();
      chain.check(step);
    }
  });
}

// A round is only sent if its client began.
TEST(Continuation, may_be_left_unfinished) {
  on(any_ranks, [](Transport& world) {
    Chain chain(world, {});
    chain.in.fill(-1);
    barrier(world);  // no rank is in commit() when another fails
    error_of([&] {   // another rank may have failed before
      chain.messages = chain.exchange.start();
      chain.messages = {};
    });
    EXPECT_TRUE(chain.exchange.has_failed());
    EXPECT_EQ(chain.done.load(), 0);
    EXPECT_EQ(chain.in, (std::array<int, rounds>{-1, -1, -1, -1}));
  });
}

// A message with parts of a continuation and of the program waits for both.
TEST(Continuation, beside_a_part_that_was_forgotten) {
  on({1, 2}, [](Transport& world) {
    const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
    std::array<int, 3> out{1, 2, 3}, in{};
    Exchange exchange(world);
    auto& chain = exchange.client("chain");
    const auto first = chain.send(right, 1, contiguous(std::span(&out[0], 1)));
    chain.receive(left, 1, contiguous(std::span(&in[0], 1)));
    chain.continuation(0, [&] { out[1] = in[0] + 1; });
    chain.send(right, 2, contiguous(std::span(&out[1], 1)), 1);
    chain.receive(left, 2, contiguous(std::span(&in[1], 1)), 1);
    auto& plain = exchange.client("plain");
    const auto second = plain.send(right, 3, contiguous(std::span(&out[2], 1)), 1);
    plain.receive(left, 3, contiguous(std::span(&in[2], 1)), 1);
    exchange.commit();
    auto messages = exchange.start();
    messages.ready(first);
    messages.wait(0);
    EXPECT_EQ(error_of([&] { messages.wait(1); }),
              "Client 'plain', key 3 to rank " + std::to_string(right) +
                  " was not marked ready in round 1 (the wait would never end). Call ready() before wait().");
    messages.ready(second);
    messages.wait(1);
    EXPECT_EQ(in, (std::array<int, 3>{1, 2, 3}));
    barrier(world);
    error_of([&] {  // another rank may have failed before
      messages = exchange.start();
      messages.ready(first);
      messages.wait(0);
      messages = {};  // can't be completed
    });
    EXPECT_TRUE(exchange.has_failed());
  });
}

// It begins with the last part of round 0, however that part is marked. Without parts in round 0, the client must call
// ready_all.
TEST(Continuation, begins_with_the_last_part_of_round_0) {
  on(1_ranks, [](Transport& world) {
    std::array<int, 2> out{5, 0}, in{};
    Exchange exchange(world);
    auto& client = exchange.client("chain");
    const auto first = client.send(0, 1, contiguous(std::span(&out[0], 1)));
    client.receive(0, 1, contiguous(std::span(&in[0], 1)));
    client.continuation(0, [&] { out[1] = in[0] + 1; });
    client.send(0, 2, contiguous(std::span(&out[1], 1)), 1);
    client.receive(0, 2, contiguous(std::span(&in[1], 1)), 1);
    auto& silent = exchange.client("silent");
    bool has_continued = false;
    silent.continuation(0, [&] { has_continued = true; });
    exchange.commit();
    auto messages = exchange.start();
    messages.ready(first);
    EXPECT_THAT(error_of([&] { messages.wait(); }), HasSubstr("Client 'silent' has continuations that were not begun"));
    EXPECT_FALSE(has_continued);
    messages.ready_all(1, 0);
    messages.wait();
    EXPECT_EQ(in[1], 6);
    EXPECT_TRUE(has_continued);
  });
}

TEST(Continuation, refuses_what_makes_no_sense) {
  on(1_ranks, [](Transport& world) {
    Requests requests("chain", 0);
    EXPECT_THAT(error_of([&] { requests.continuation(1, [] {}); }), HasSubstr("out of order"));
    int out = 1, in = 0;
    Exchange exchange(world);
    auto& client = exchange.client("chain");
    client.continuation(0, [] {});
    const auto second = client.send(0, 1, contiguous(std::span(&out, 1)), 1);
    client.receive(0, 1, contiguous(std::span(&in, 1)), 1);
    exchange.commit();
    auto messages = exchange.start();
    EXPECT_THAT(error_of([&] { messages.ready(second); }), HasSubstr("but a continuation sends it"));
    messages.ready_all(0, 0);
    messages.wait();
    EXPECT_EQ(in, 1);
    Exchange holding(world, {.messages = {.defer_unpacking = true}});
    holding.client("chain").continuation(0, [] {});
    EXPECT_THAT(error_of([&] { holding.commit(); }), HasSubstr("defers unpacking"));
  });
}

}  // namespace
}  // namespace weft
