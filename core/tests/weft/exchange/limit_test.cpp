// SPDX-License-Identifier: BSD-3-Clause
//
// A limit of requests: messages wait for their turn, and never for each other. (Random programs with it are in
// property_model.cpp.)
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"

namespace weft {
namespace {

using namespace weft::testing;

// Every rank sends several parts to every other one, in two rounds, and marks them ready in an order of its own. Sends
// wait for their receive, so a ring of them would wait for ever.
TEST(Limit, no_message_waits_for_ever) {
  constexpr int ranks = 8, each = 3, rounds = 2;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    auto arrival = random_arrival(seed, 1 + static_cast<int>(seed % 4));
    arrival.synchronous = true;
    run_in_process(
        ranks,
        [&](Transport& world) {
          const auto me = static_cast<std::uint64_t>(world.rank());
          Random random(hash({seed, me}));
          ExchangeOptions options;
          options.messages.grouping = Grouping::per_part;
          options.messages.most_requests = 1 + (seed + me) % 4;  // may differ
          options.messages.carrier = seed % 3 == 2 ? Carrier::synchronous : Carrier::messages;
          Exchange exchange(world, options);
          auto& client = exchange.client("all");
          std::vector<std::uint64_t> out(ranks * each * rounds), in(out.size());
          std::vector<std::vector<SendPart>> sends(rounds);
          for (std::size_t i = 0; i < out.size(); ++i) {
            const int peer = static_cast<int>(i) % ranks, round = static_cast<int>(i) / ranks % rounds;
            out[i] = hash({seed, me, i});
            const auto at = [i](std::vector<std::uint64_t>& all) { return contiguous(std::span(all).subspan(i, 1)); };
            sends[static_cast<std::size_t>(round)].push_back(client.send(peer, i / ranks, at(out), round));
            client.receive(peer, i / ranks, at(in), round);
          }
          exchange.commit();
          for (int step = 0; step < 3; ++step) {
            std::fill(in.begin(), in.end(), 0);
            auto start = exchange.start();
            for (int round = 0; round < rounds; ++round) {
              auto& parts = sends[static_cast<std::size_t>(round)];
              random.shuffle(parts);
              for (const auto part : parts) {
                start.ready(part);
                if (random.chance(4)) start.progress();
              }
              start.wait(round);
            }
            for (std::size_t i = 0; i < in.size(); ++i)
              EXPECT_EQ(in[i], hash({seed, i % ranks, i / ranks * ranks + me}));
          }
        },
        arrival);
  }
}

}  // namespace
}  // namespace weft
