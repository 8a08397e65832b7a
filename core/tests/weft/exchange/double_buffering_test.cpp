// SPDX-License-Identifier: BSD-3-Clause
//
// Multiple buffers per part: committed once, with every carrier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/step/step_manager.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

int turn_left(const Transport& world) { return (world.rank() + world.size() - 1) % world.size(); }
int turn_right(const Transport& world) { return (world.rank() + 1) % world.size(); }

// Arrays of 5 x 4, one per buffer index. A row (contiguous) and a column of the current array are sent, and received in
// its first row and its last column. A part with a single buffer is sent with them.
struct Swapping {
  Swapping(Transport& world, std::size_t buffer_count, const ExchangeOptions& options)
      : rank(world.rank()), left(turn_left(world)), arrays(buffer_count, std::vector<int>(20)),
        exchange(world, options) {
    auto& client = exchange.client("swap");
    std::vector<Region> row_out, row_in, column_out, column_in;
    for (auto& array : arrays) {
      row_out.push_back(box(array.data(), {5, 4}, {2, 0}, {1, 3}));
      row_in.push_back(box(array.data(), {5, 4}, {0, 0}, {1, 3}));
      column_out.push_back(box(array.data(), {5, 4}, {1, 1}, {3, 1}));
      column_in.push_back(box(array.data(), {5, 4}, {1, 3}, {3, 1}));
    }
    client.send(turn_right(world), 1, Buffers(row_out));
    client.receive(left, 1, Buffers(row_in));
    client.send(turn_right(world), 2, Buffers(column_out));
    client.receive(left, 2, Buffers(column_in));
    client.send(turn_right(world), 3, contiguous(std::span(&fixed_out, 1)));
    client.receive(left, 3, contiguous(std::span(&fixed_in, 1)));
    exchange.commit();
  }
  static int value(int rank, int start, int i) { return 10000 * rank + 100 * start + i; }
  void run(int start, std::size_t buffer_index) {
    for (auto& array : arrays) std::fill(array.begin(), array.end(), -1);
    auto& now = arrays[buffer_index % arrays.size()];
    for (int i = 0; i < 20; ++i) now[static_cast<std::size_t>(i)] = value(rank, start, i);
    fixed_out = start;
    auto messages = exchange.start(buffer_index);
    messages.ready_all(0, 0);
    messages.accept_all(0, 0);
    messages.wait();
    auto expected = now;
    for (std::size_t i = 0; i < 3; ++i) {
      expected[i] = value(left, start, 8 + static_cast<int>(i));
      expected[4 * (i + 1) + 3] = value(left, start, 4 * (static_cast<int>(i) + 1) + 1);
    }
    EXPECT_EQ(now, expected);
    EXPECT_EQ(fixed_in, start);
    for (std::size_t t = 0; t < arrays.size(); ++t) {
      if (t == buffer_index % arrays.size()) continue;
      EXPECT_EQ(arrays[t], std::vector<int>(20, -1)) << "not its turn";
    }
  }
  int rank, left;
  std::vector<std::vector<int>> arrays;
  int fixed_out = 0, fixed_in = -1;
  Exchange exchange;
};

TEST(Turns, each_start_moves_those_whose_turn_it_is) {
  on(any_ranks, [](Transport& world) {
    for (const auto carrier : carriers_of(world))
      for (const auto grouping : {Grouping::per_peer, Grouping::per_part})
        for (const bool deferred : {false, true})
          for (const bool shared : {false, true})
            for (const std::size_t buffer_count : {2U, 3U}) {
              SCOPED_TRACE(std::string(name_of(carrier)) + ", " + name_of(grouping) + (deferred ? ", held" : "") +
                           (shared ? ", shared" : "") + ", turns " + std::to_string(buffer_count));
              Swapping swapping(world, buffer_count,
                                {.messages = {.grouping = grouping,
                                              .carrier = carrier,
                                              .shared_memory = shared,
                                              .defer_unpacking = deferred}});
              EXPECT_EQ(swapping.exchange.buffer_count(), buffer_count);
              const std::array<std::size_t, 7> order{0, 1, 2, 3, 1, 1, 5};  // any order, also with repetitions
              for (std::size_t i = 0; i < order.size(); ++i) swapping.run(static_cast<int>(i), order[i]);
            }
  });
}

TEST(Turns, ranks_that_take_different_ones_get_an_error) {
  on({2, 3}, [](Transport& world) {
    for (const auto carrier : carriers_of(world))
      for (const auto grouping : {Grouping::per_peer, Grouping::per_part})
        for (const bool deferred : {false, true})
          for (const bool shared : {false, true}) {
            SCOPED_TRACE(std::string(name_of(carrier)) + ", " + name_of(grouping) + (deferred ? ", held" : "") +
                         (shared ? ", shared" : ""));
            Swapping swapping(
                world, 2,
                {.messages = {
                     .grouping = grouping, .carrier = carrier, .shared_memory = shared, .defer_unpacking = deferred}});
            swapping.run(0, 0);
            swapping.run(1, 1);
            barrier(world);
            const auto start = [&] {
              for (int i = 0; i < 2; ++i) {  // a rank between two that agree with it learns of it later
                auto messages = swapping.exchange.start(world.rank() + 1 == world.size() ? 5 : 2);
                messages.ready_all(0, 0);
                messages.accept_all(0, 0);
                messages.wait();
              }
            };
            EXPECT_THAT(error_of(start), HasSubstr("An exchange is started with buffer index "));
            EXPECT_TRUE(swapping.exchange.has_failed());
          }
  });
}

TEST(Turns, are_compared_in_each_round_with_new_peers) {
  on({3, 4}, [](Transport& world) {
    std::array<int, 4> memory{};
    const auto two = [&](std::size_t i) {
      return Buffers({contiguous(std::span(memory).subspan(i, 1)), contiguous(std::span(memory).subspan(i + 1, 1))});
    };
    for (const bool compares : {true, false}) {
      Exchange exchange(world, {.compares_buffer_indices = compares});
      auto& client = exchange.client("rounds");
      if (world.rank() == 0) client.send(1, 1, two(0));
      if (world.rank() == 1) client.receive(0, 1, two(0));
      if (world.rank() == 1) client.send(2, 1, two(2), 1);
      if (world.rank() == 2) client.receive(1, 1, two(2), 1);
      exchange.commit();
      barrier(world);
      const auto error = error_of([&] {
        auto messages = exchange.start(world.rank() == 2 ? 1 : 0);
        messages.ready_all(0, 0);
        messages.wait(0);
        if (world.rank() != 1 && world.rank() != 2) return;
        messages.ready_all(0, 1);
        messages.wait(1);
      });
      if (world.rank() == 2) {
        EXPECT_EQ(error, compares ? "An exchange is started with buffer index 1 on rank 2 and with 0 on rank 1. Give "
                                    "start() the same index on all ranks."
                                  : "no error");
      }
      barrier(world);
    }
  });
}

TEST(Turns, an_exchange_has_one_number_of_them) {
  on({1, 2}, [](Transport& world) {
    std::array<int, 6> memory{};
    const auto at = [&](std::size_t i) { return contiguous(std::span(memory).subspan(i, 1)); };
    Exchange exchange(world);
    auto& client = exchange.client("swap");
    client.send(world.rank(), 1, Buffers({at(0), at(1)}));
    client.receive(world.rank(), 1, Buffers({at(2), at(3), at(4)}));
    EXPECT_THAT(error_of([&] { exchange.commit(); }),
                HasSubstr("Client 'swap', key 1 has 3 buffers, another part 2. Give each part"));
    EXPECT_THAT(error_of([&] { Buffers(std::vector<Region>{}); }), HasSubstr("has no memory region"));
    EXPECT_THAT(error_of([&] {
                  Buffers({at(0), contiguous(std::span(memory).subspan(0, 6))});
                }),
                HasSubstr("buffers of 4 and 24 bytes"));
    float other_type = 0;
    EXPECT_THAT(error_of([&] {
                  Buffers({at(0), contiguous(std::span(&other_type, 1))});
                }),
                HasSubstr("buffers of int32 and float32"));
    if (world.size() == 1) return;
    Exchange other(world);
    auto& apart = other.client("apart");
    if (world.rank() == 0) apart.send(1, 1, Buffers({at(0), at(1)}));
    if (world.rank() == 1) apart.receive(0, 1, Buffers({at(0), at(1), at(2)}));
    EXPECT_THAT(error_of([&] { other.commit(); }), HasSubstr("The ranks' parts have 2 and 3 buffers"));
  });
}

// Two arrays that a step swaps: the step number determines the buffer index.
TEST(Turns, a_step_is_a_turn) {
  on(any_ranks, [](Transport& world) {
    struct Swap : Client {
      explicit Swap(Transport& w) : left(turn_left(w)), right(turn_right(w)), rank(w.rank()) {}
      void request(Requests& requests) override {
        requests.send(right, 1, Buffers({of(0, 0), of(1, 0)}));
        requests.receive(left, 1, Buffers({of(0, 1), of(1, 1)}));
      }
      Region of(std::size_t array, std::size_t i) { return contiguous(std::span(arrays[array]).subspan(i, 1)); }
      void before(Step& step) override {
        arrays[static_cast<std::size_t>(step.number() % 2)][0] = static_cast<int>(step.number()) + 100 * rank;
      }
      void after(Step& step) override {
        EXPECT_EQ(arrays[static_cast<std::size_t>(step.number() % 2)][1], static_cast<int>(step.number()) + 100 * left);
      }
      std::array<std::array<int, 2>, 2> arrays{};
      int left, right, rank;
    } swap(world);
    StepManager steps(world);
    steps.add("swap", swap);
    for (int i = 0; i < 6; ++i) {
      steps.run_step();
      if (i == 2) steps.measure_alone(2);
    }
  });
}

}  // namespace
}  // namespace weft
