// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>

#include "tests/support/core_ranks.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

int left_of(const Transport& world) { return (world.rank() + world.size() - 1) % world.size(); }
int right_of(const Transport& world) { return (world.rank() + 1) % world.size(); }

TEST(Exchange, moves_parts_of_different_kinds) {
  on(any_ranks, [](Transport& world) {
    // A column of a 3 x 4 array is sent, and received as three scattered elements.
    std::vector<int> out(12), in(9, -1);
    Exchange exchange(world);
    auto& client = exchange.client("columns");
    const auto part = client.send(right_of(world), 1, box(out.data(), {3, 4}, {0, 2}, {3, 1}));
    client.receive(left_of(world), 1, indexed(in.data(), {8, 0, 4}));
    exchange.commit();
    for (int step = 0; step < 3; ++step) {
      for (int i = 0; i < 12; ++i) out[static_cast<std::size_t>(i)] = 1000 * world.rank() + 100 * step + i;
      auto messages = exchange.start();
      messages.ready(part);
      messages.wait();
      const int base = 1000 * left_of(world) + 100 * step;
      EXPECT_THAT(in, ElementsAre(base + 6, -1, -1, -1, base + 10, -1, -1, -1, base + 2));
    }
    EXPECT_EQ(exchange.starts(), 3u);
  });
}

TEST(Exchange, a_dependent_chain_of_rounds) {
  on(any_ranks, [](Transport& world) {
    // Round k sends the value received in round k - 1, plus one: after three rounds a value has moved three ranks.
    // left.
    constexpr int rounds = 3;
    for (const auto grouping : {Grouping::per_peer, Grouping::per_part}) {
      Exchange exchange(world, {.messages = {.grouping = grouping}});
      std::array<int, rounds> out{}, in{};
      std::array<SendPart, rounds> parts;
      auto& client = exchange.client("chain");
      for (int k = 0; k < rounds; ++k) {
        const auto i = static_cast<std::size_t>(k);
        parts[i] = client.send(right_of(world), static_cast<Key>(k), contiguous(std::span(&out[i], 1)), k);
        client.receive(left_of(world), static_cast<Key>(k), contiguous(std::span(&in[i], 1)), k);
      }
      exchange.commit();
      for (int step = 0; step < 4; ++step) {
        auto messages = exchange.start();
        for (int k = 0; k < rounds; ++k) {
          const auto i = static_cast<std::size_t>(k);
          out[i] = k == 0 ? 1000 * step + 10 * world.rank() : in[i - 1] + 1;
          messages.ready(parts[i]);
          messages.wait(k);
        }
        const int origin = ((world.rank() - 3) % world.size() + world.size()) % world.size();
        EXPECT_EQ(in.back(), 1000 * step + 10 * origin + 2);
      }
    }
  });
}

TEST(Exchange, a_packed_message_leaves_with_its_last_part) {
  std::atomic<int> left{0};  // the transport calls delay() when a message is sent
  const InProcessOptions counting{.delay = [&](int source, int, int) { return left += source == 0, 0; }};
  run_in_process(
      2,
      [&](Transport& world) {
        int a = 1, b = 2;
        Exchange exchange(world, {.messages = {.packed_limit_bytes = 100}});
        auto& client = exchange.client("pair");
        StartedExchange messages;
        if (world.rank() == 0) {
          const auto first = client.send(1, 1, contiguous(std::span(&a, 1)));
          const auto second = client.send(1, 2, contiguous(std::span(&b, 1)));
          exchange.commit();
          left = 0;  // commit sends messages, too
          messages = exchange.start();
          messages.ready(second);
          EXPECT_EQ(left, 0);
          messages.ready(first);
          EXPECT_EQ(left, 1);
        } else {
          client.receive(0, 2, contiguous(std::span(&b, 1)));
          client.receive(0, 1, contiguous(std::span(&a, 1)));
          exchange.commit();
          messages = exchange.start();
        }
        messages.wait();
        EXPECT_EQ(a, 1);
        EXPECT_EQ(b, 2);
      },
      counting);
}

TEST(Exchange, pieces_may_arrive_in_any_order) {
  // Later pieces have shorter delays.
  const InProcessOptions reversed{.piece_bytes = 8,
                                  .delay = [](int, int, int tag) { return 40 - 3 * (tag % most_pieces); }};
  run_in_process(
      2,
      [&](Transport& world) {
        std::vector<int> out(25), in(25), strided(50);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = world.rank() * 100 + static_cast<int>(i);
        Exchange exchange(world, {.messages = {.packed_limit_bytes = 1}});
        auto& client = exchange.client("pair");
        const int peer = 1 - world.rank();
        client.send(peer, 1, contiguous(std::span(out)));
        client.receive(peer, 1, contiguous(std::span(in)));
        client.send(peer, 2, contiguous(std::span(out)));
        client.receive(peer, 2, box(strided.data(), {25, 2}, {0, 1}, {25, 1}));
        exchange.commit();
        EXPECT_EQ(exchange.plan().messages.front().pieces, 13);
        for (int step = 0; step < 3; ++step) {
          auto messages = exchange.start();
          messages.ready_all(0, 0);
          messages.wait();
          for (std::size_t i = 0; i < in.size(); ++i) {
            EXPECT_EQ(in[i], peer * 100 + static_cast<int>(i));
            EXPECT_EQ(strided[2 * i + 1], in[i]);
          }
        }
      },
      reversed);
}

TEST(Exchange, empty_parts_may_be_marked_or_not) {
  on(2_ranks, [](Transport& world) {
    Exchange exchange(world);
    auto& client = exchange.client("nothing");
    const auto part = client.send(1 - world.rank(), 1, Region());
    client.receive(1 - world.rank(), 1, Region());
    exchange.commit();
    for (int step = 0; step < 3; ++step) {
      auto messages = exchange.start();
      if (step != world.rank()) messages.ready(part);
      messages.wait();
    }
    EXPECT_TRUE(exchange.plan().messages.empty());
  });
}

// So a program may have the same loop on all ranks: a rank without neighbours has nothing to send.
TEST(Exchange, all_ranks_have_all_rounds) {
  on(any_ranks, [](Transport& world) {
    int value = 1, copy = 0;
    const int last = world.size() - 1;
    Exchange exchange(world);
    auto& client = exchange.client("graph");
    if (world.rank() == last) {
      client.send(last, 1, contiguous(std::span<const int>(&value, 1)), 1);
      client.receive(last, 1, contiguous(std::span(&copy, 1)), 1);
    }
    exchange.commit();
    auto messages = exchange.start();
    for (int round = 0; round < 2; ++round) {
      messages.ready_all(0, round);
      messages.wait(round);
    }
    EXPECT_TRUE(messages.is_over());
    EXPECT_EQ(copy, world.rank() == last ? 1 : 0);
  });
}

TEST(Exchange, without_any_part_does_nothing) {
  on(any_ranks, [](Transport& world) {
    Exchange exchange(world);
    exchange.commit();
    auto messages = exchange.start();
    messages.wait();
  });
}

TEST(Exchange, the_limit_is_the_smallest_of_all_ranks) {
  on({2, 3}, [](Transport& world) {
    // Rank 0 alone would pack both parts, the others none: without an agreement the messages would not match.
    Exchange exchange(world, {.messages = {.packed_limit_bytes = world.rank() == 0 ? 100u : 1u}});
    auto& client = exchange.client("pair");
    std::array<int, 2> out{world.rank(), world.rank() + 10}, in{};
    for (std::size_t i = 0; i < 2; ++i) {
      client.send(right_of(world), i, contiguous(std::span(&out[i], 1)));
      client.receive(left_of(world), i, contiguous(std::span(&in[i], 1)));
    }
    exchange.commit();
    auto messages = exchange.start();
    messages.ready_all(0, 0);
    messages.wait();
    EXPECT_THAT(in, ElementsAre(left_of(world), left_of(world) + 10));
    EXPECT_EQ(exchange.plan().messages.size(), 4u);
  });
}

TEST(Exchange, describes_itself) {
  on(2_ranks, [](Transport& world) {
    int out = 0, in = 0;
    Exchange exchange(world);
    auto& client = exchange.client("heat");
    client.send(1 - world.rank(), 1, contiguous(std::span(&out, 1)));
    client.receive(1 - world.rank(), 1, contiguous(std::span(&in, 1)));
    client.barrier(1);
    exchange.commit();
    const auto text = exchange.describe();
    EXPECT_THAT(text, HasSubstr("2 messages, 1 collectives, 2 rounds, carried as messages, grouped per_peer\n"));
    EXPECT_THAT(text, HasSubstr("round 0 to " + std::to_string(1 - world.rank()) + ": 4 bytes in 1 parts (heat)"));
  });
}

TEST(Exchange, tells_which_parts_have_arrived) {
  on(any_ranks, [](Transport& world) {
    for (const bool deferred : {false, true}) {
      Exchange exchange(world, {.messages = {.grouping = Grouping::per_part, .defer_unpacking = deferred}});
      std::array<int, 2> out{}, in{};
      auto& client = exchange.client("ring");
      std::array<SendPart, 2> sent{};
      std::array<ReceivePart, 2> received{};
      for (const std::size_t k : {0U, 1U}) {
        sent[k] = client.send(right_of(world), k, contiguous(std::span(&out[k], 1)));
        received[k] = client.receive(left_of(world), k, contiguous(std::span(&in[k], 1)));
      }
      exchange.commit();
      for (int step = 0; step < 3; ++step) {
        out = {10 * world.rank() + step, 20 * world.rank() + step};
        auto messages = exchange.start();
        if (deferred) messages.accept_all(0, 0);
        EXPECT_FALSE(messages.arrived(received[0]) || messages.arrived(received[1]));
        messages.ready(sent[1]);
        while (!messages.arrived(received[1])) messages.test();
        EXPECT_EQ(in[1], 20 * left_of(world) + step);
        EXPECT_FALSE(messages.arrived(received[0]));  // only after all ranks have received the other one
        barrier(world);
        messages.ready(sent[0]);
        messages.wait();
        EXPECT_TRUE(messages.arrived(received[0]) && messages.arrived(received[1]));
        EXPECT_EQ(in[0], 10 * left_of(world) + step);
      }
    }
  });
}

TEST(Exchange, several_may_be_in_flight_at_once) {
  on({2, 4}, [](Transport& world) {
    std::array<int, 3> out{}, in{};
    std::deque<Exchange> exchanges;
    std::vector<SendPart> parts;
    for (std::size_t i = 0; i < 3; ++i) {
      auto& client = exchanges.emplace_back(world).client("one of many");
      parts.push_back(client.send(right_of(world), 1, contiguous(std::span(&out[i], 1))));
      client.receive(left_of(world), 1, contiguous(std::span(&in[i], 1)));
      exchanges.back().commit();
    }
    std::array<StartedExchange, 3> started;
    for (std::size_t i = 0; i < 3; ++i) started[i] = exchanges[i].start();
    for (std::size_t i = 3; i-- > 0;) {
      out[i] = 10 * world.rank() + static_cast<int>(i);
      started[i].ready(parts[i]);
    }
    for (auto& messages : started) messages.wait();
    const int base = 10 * left_of(world);
    EXPECT_THAT(in, ElementsAre(base, base + 1, base + 2));
  });
}

}  // namespace
}  // namespace weft
