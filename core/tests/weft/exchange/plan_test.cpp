// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::ElementsAre;

std::vector<char> memory(1 << 16);
Region run(std::size_t bytes, std::size_t first = 0) { return contiguous(std::span(memory).subspan(first, bytes)); }

// A plan as text, with keys instead of handles: "to 1, round 0: a.1 a.2 (12)".
std::vector<std::string> in_words(const Plan& plan, const std::deque<Requests>& clients) {
  std::vector<std::string> result;
  for (const auto& m : plan.messages) {
    auto text = (m.send ? "to " : "from ") + std::to_string(m.peer) + ", round " + std::to_string(m.round) + ", tag " +
                std::to_string(m.tag) + ":";
    for (const auto part : m.parts) {
      const auto& client = clients[part.client];
      text += " " + client.client() + "." + std::to_string(client.list()[part.index].key);
    }
    result.push_back(text + " (" + std::to_string(m.bytes) + ")");
  }
  std::sort(result.begin(), result.end());
  return result;
}

TEST(Plan, per_peer_packs_the_parts_of_all_clients_up_to_the_limit) {
  std::deque<Requests> clients{{"a", 0}, {"b", 1}};
  clients[0].send(1, 1, run(40));
  clients[0].send(1, 2, run(40));
  clients[1].send(1, 1, run(20));
  clients[1].send(1, 2, run(1));
  clients[1].send(2, 1, run(5));
  clients[1].receive(1, 1, run(7));
  EXPECT_THAT(in_words(make_plan(clients, Grouping::per_peer, 100), clients),
              ElementsAre("from 1, round 0, tag 0: b.1 (7)", "to 1, round 0, tag 0: a.1 a.2 b.1 (100)",
                          "to 1, round 0, tag 1: b.2 (1)", "to 2, round 0, tag 0: b.1 (5)"));
}

TEST(Plan, a_large_message_is_cut_into_pieces_unless_they_were_many) {
  std::deque<Requests> clients{{"a", 0}};
  clients[0].send(1, 1, run(10));
  clients[0].send(1, 2, run(101));
  clients[0].send(1, 3, run(160));
  clients[0].send(1, 4, run(161));
  const auto pieces = [&](std::size_t limit) {
    std::vector<int> result;
    for (const auto& m : make_plan(clients, Grouping::per_part, 100, limit).messages) {
      result.push_back(m.pieces);
      EXPECT_TRUE(m.pieces == 1 || m.piece_bytes() <= limit);
      EXPECT_GE(m.piece_bytes() * static_cast<std::size_t>(m.pieces), m.bytes);
      EXPECT_LT(m.piece_bytes() * static_cast<std::size_t>(m.pieces - 1), m.bytes);
    }
    return result;
  };
  EXPECT_THAT(pieces(10), ElementsAre(1, 11, 16, 1));
  EXPECT_THAT(pieces(0), ElementsAre(1, 1, 1, 1));
}

TEST(Plan, a_part_over_the_limit_travels_alone) {
  std::deque<Requests> clients{{"a", 0}};
  clients[0].send(1, 1, run(3));
  clients[0].send(1, 2, run(500));
  clients[0].send(1, 3, run(3));
  clients[0].send(1, 4, run(3));
  EXPECT_THAT(in_words(make_plan(clients, Grouping::per_peer, 100), clients),
              ElementsAre("to 1, round 0, tag 0: a.1 (3)", "to 1, round 0, tag 1: a.2 (500)",
                          "to 1, round 0, tag 2: a.3 a.4 (6)"));
}

TEST(Plan, groupings_have_names) {
  for (const auto grouping : {Grouping::per_peer, Grouping::per_part, Grouping::by_size})
    EXPECT_EQ(grouping_names.named(name_of(grouping)), grouping);
  EXPECT_THROW(grouping_names.named("all"), InputError);
}

TEST(Plan, per_part_makes_each_part_a_message) {
  std::deque<Requests> clients{{"a", 0}};
  clients[0].send(1, 2, run(3));
  clients[0].send(1, 1, run(3));
  EXPECT_THAT(in_words(make_plan(clients, Grouping::per_part, 100), clients),
              ElementsAre("to 1, round 0, tag 0: a.1 (3)", "to 1, round 0, tag 1: a.2 (3)"));
}

TEST(Plan, rounds_do_not_share_messages) {
  std::deque<Requests> clients{{"a", 0}};
  clients[0].send(1, 1, run(3), 1);
  clients[0].send(1, 2, run(3), 0);
  clients[0].send(1, 3, run(3), 1);
  clients[0].barrier(2);
  const auto plan = make_plan(clients, Grouping::per_peer, 100);
  EXPECT_EQ(plan.rounds, 3);
  EXPECT_THAT(in_words(plan, clients),
              ElementsAre("to 1, round 0, tag 0: a.2 (3)", "to 1, round 1, tag 1: a.1 a.3 (6)"));
}

TEST(Plan, empty_parts_do_not_travel) {
  std::deque<Requests> clients{{"a", 0}};
  clients[0].send(1, 1, run(0));
  clients[0].receive(1, 1, run(0));
  EXPECT_TRUE(make_plan(clients, Grouping::per_peer, 100).messages.empty());
  EXPECT_TRUE(make_plan(clients, Grouping::per_part, 100).messages.empty());
  EXPECT_EQ(make_plan({}, Grouping::per_peer, 100).rounds, 1);
}

TEST(Plan, collectives_are_ordered_by_round_client_and_number) {
  std::deque<Requests> clients{{"b", 0}, {"a", 1}};
  clients[0].barrier(1);
  clients[0].barrier(0);
  clients[1].barrier(0);
  clients[1].barrier(1);
  std::vector<std::string> order;
  for (const auto part : make_plan(clients, Grouping::per_peer, 100).collectives)
    order.push_back(clients[part.client].client() + std::to_string(part.index));
  EXPECT_THAT(order, ElementsAre("a0", "b1", "a1", "b0"));
}

// Clients and their parts in a random order; `seed` determines the set.
std::deque<Requests> shuffled(std::uint64_t seed, std::uint64_t order) {
  struct Wish {
    bool send;
    int peer, round;
    Key key;
    std::size_t bytes;
  };
  std::map<std::string, std::vector<Wish>> wishes;
  Random random(seed), shuffle(order);
  for (const auto* name : {"one", "two", "three"})
    for (Key key = 0; key < 20; ++key)
      wishes[name].push_back({random.chance(2), random.below(3), random.below(2), key, random.size_below(60)});
  std::vector<std::string> names{"one", "two", "three"};
  shuffle.shuffle(names);
  std::deque<Requests> clients;
  for (const auto& name : names) {
    auto& client = clients.emplace_back(name, static_cast<std::uint32_t>(clients.size()));
    shuffle.shuffle(wishes[name]);
    for (const auto& w : wishes[name])
      if (w.send)
        client.send(w.peer, w.key, run(w.bytes), w.round);
      else
        client.receive(w.peer, w.key, run(w.bytes), w.round);
  }
  return clients;
}

TEST(Plan, the_order_of_registration_does_not_matter) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const auto grouping : {Grouping::per_peer, Grouping::per_part}) {
      const auto clients = shuffled(seed, 0), others = shuffled(seed, seed + 1);
      EXPECT_EQ(in_words(make_plan(clients, grouping, 100), clients),
                in_words(make_plan(others, grouping, 100), others))
          << "seed " << seed;
    }
}

TEST(Plan, both_ends_of_a_message_see_the_same) {
  on({2, 4}, [](Transport& world) {
    for (const std::size_t limit : {1u, 50u, 4096u}) {
      Exchange exchange(world, {.messages = {.packed_limit_bytes = limit}});
      // Each rank lists in an order of its own.
      Random order(static_cast<std::uint64_t>(world.rank()) + 7);
      std::vector<std::string> names{"one", "two"};
      order.shuffle(names);
      std::size_t next = 0;
      for (const auto& name : names) {
        auto& client = exchange.client(name);
        std::vector<Key> keys{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        order.shuffle(keys);
        for (int peer = 0; peer < world.size(); ++peer)
          for (const auto key : keys) {
            const auto bytes = [&](int from, int to) {
              return static_cast<std::size_t>(
                  hash({key, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to), name.size()}) % 40);
            };
            const int round = static_cast<int>(key % 2);
            client.send(peer, key, run(bytes(world.rank(), peer)), round);
            client.receive(peer, key, run(bytes(peer, world.rank()), next), round);
            next += bytes(peer, world.rank());
          }
      }
      exchange.commit();
      // The (round, tag, bytes, parts) of all messages of this rank must be those that the receiver expects.
      using Facts = std::array<std::uint64_t, 4>;
      std::vector<std::vector<Facts>> sent(static_cast<std::size_t>(world.size())), expected = sent;
      for (const auto& m : exchange.plan().messages) {
        auto& list = (m.send ? sent : expected)[static_cast<std::size_t>(m.peer)];
        list.push_back(
            {static_cast<std::uint64_t>(m.round), static_cast<std::uint64_t>(m.tag), m.bytes, m.parts.size()});
        for (const auto part : m.parts) {
          const auto& request = exchange.clients()[part.client].list()[part.index];
          list.push_back({exchange.clients()[part.client].client().size(), request.key, request.buffers.bytes(), 0});
        }
      }
      EXPECT_EQ(all_to_all(world, sent), expected);
    }
  });
}

}  // namespace
}  // namespace weft
