// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/round_operation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/tests/weft/collective/ordered_range.hpp"
#include "tests/support/core_ranks.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using Kind = Collective::Kind;

constexpr int start_tag = 100;

void wait_for(Operation& started) {
  while (!started.test()) std::this_thread::yield();
}

/// Each algorithm as one operation, which is started three times.
void each_algorithm(Transport& world, const Collective& what, const std::function<void(int, Algorithm)>& fill,
                    const std::function<void(int, Algorithm)>& check) {
  for (const auto algorithm : algorithms_of(what.kind)) {
    SCOPED_TRACE(std::string(name_of(what.kind)) + ' ' + name_of(algorithm));
    auto chosen = what;
    if (what.kind == Kind::reduce || what.kind == Kind::all_reduce)
      chosen.reduction =
          (algorithm == Algorithm::tree ? reduction<Range>(added) : reduction<Range>(joined, false)).of_bytes;
    RoundOperation operation(world, chosen, algorithm, start_tag);
    EXPECT_TRUE(operation.test());  // it has not been started
    for (int time = 0; time < 3; ++time) {
      fill(time, algorithm);
      complete(operation);
      check(time, algorithm);
      EXPECT_TRUE(operation.test());
    }
  }
}

TEST(RoundOperation, reductions) {
  on(any_ranks, [](Transport& world) {
    const auto rank = world.rank(), size = world.size();
    std::array<Range, 2> in{}, out{};
    const auto fill = [&](int time, Algorithm) {
      in = {Range{rank, rank}, Range{rank + time, rank + time}};
      out = {};
    };
    const auto check = [&](int time, Algorithm algorithm) {
      const bool is_tree = algorithm == Algorithm::tree;
      EXPECT_EQ(out[0].first, is_tree ? size * (size - 1) / 2 : 0);
      EXPECT_EQ(out[0].last, size - 1);
      EXPECT_EQ(out[1].first, is_tree ? size * (size - 1) / 2 + size * time : time);
      EXPECT_EQ(out[1].last, size - 1 + time);
    };
    each_algorithm(
        world,
        {.kind = Kind::all_reduce, .in = std::as_bytes(std::span(in)), .out = std::as_writable_bytes(std::span(out))},
        fill, check);
    for (int root = 0; root < size; ++root) {
      const auto result = rank == root ? std::as_writable_bytes(std::span(out)) : std::span<std::byte>();
      each_algorithm(world, {.kind = Kind::reduce, .in = std::as_bytes(std::span(in)), .out = result, .root = root},
                     fill, [&](int time, Algorithm algorithm) {
                       if (rank == root) check(time, algorithm);
                     });
    }
  });
}

TEST(RoundOperation, broadcast_from_any_root) {
  on(any_ranks, [](Transport& world) {
    for (int root = 0; root < world.size(); ++root) {
      std::array<std::int64_t, 3> data{};
      each_algorithm(
          world, {.kind = Kind::broadcast, .out = std::as_writable_bytes(std::span(data)), .root = root},
          [&](int time, Algorithm) { data.fill(world.rank() == root ? 10 * root + time : -1); },
          [&](int time, Algorithm) {
            EXPECT_EQ(data, (std::array<std::int64_t, 3>{10 * root + time, 10 * root + time, 10 * root + time}));
          });
    }
  });
}

TEST(RoundOperation, all_gather_and_all_to_all) {
  on(any_ranks, [](Transport& world) {
    const auto rank = world.rank(), size = world.size();
    using Block = std::array<int, 3>;
    std::vector<Block> in(static_cast<std::size_t>(size)), out(in.size());
    const auto bytes_in = std::as_bytes(std::span(in));
    const auto bytes_out = std::as_writable_bytes(std::span(out));
    const auto at = [&](int p) { return out[static_cast<std::size_t>(p)]; };
    each_algorithm(
        world, {.kind = Kind::all_gather, .in = bytes_in.first(sizeof(Block)), .out = bytes_out},
        [&](int time, Algorithm) {
          in[0] = {rank, time, 3};
        },
        [&](int time, Algorithm) {
          for (int p = 0; p < size; ++p) EXPECT_EQ(at(p), (Block{p, time, 3}));
        });
    each_algorithm(
        world, {.kind = Kind::all_to_all, .in = bytes_in, .out = bytes_out},
        [&](int time, Algorithm) {
          for (int p = 0; p < size; ++p) in[static_cast<std::size_t>(p)] = {rank, p, time};
        },
        [&](int time, Algorithm) {
          for (int p = 0; p < size; ++p) EXPECT_EQ(at(p), (Block{p, rank, time}));
        });
  });
}

// The last rank enters only after all others have tested often and have sent it a message.
TEST(RoundOperation, a_barrier_waits_for_the_last) {
  on(any_ranks, [](Transport& world) {
    const int late = world.size() - 1;
    for (const auto algorithm : algorithms_of(Kind::barrier)) {
      RoundOperation barrier(world, {}, algorithm, start_tag);
      std::array<std::byte, 1> word{};
      if (world.rank() == late) {
        for (int r = 0; r < late; ++r) {
          const auto told = world.receive(word, r, start_tag + 1);
          complete(*told);
        }
        barrier.start();
      } else {
        barrier.start();
        for (int i = 0; i < 50; ++i) EXPECT_FALSE(barrier.test());
        const auto tell = world.send(word, late, start_tag + 1);
        complete(*tell);
      }
      wait_for(barrier);
    }
  });
}

TEST(RoundOperation, two_at_once_with_tags_of_their_own) {
  on(any_ranks, [](Transport& world) {
    std::array<double, 1> one{1}, sum_of_ones{}, highest{};
    std::array<double, 1> rank{static_cast<double>(world.rank())};
    const auto make = [&](std::array<double, 1>& in, std::array<double, 1>& out, const Reduction<double>& how,
                          int tag) {
      return RoundOperation(world, Collective::all_reduce(std::span<const double>(in), std::span<double>(out), how),
                            Algorithm::recursive_doubling, tag);
    };
    auto first = make(one, sum_of_ones, sum<double>(), start_tag);
    auto second = make(rank, highest, maximum<double>(), start_tag + 1);
    first.start();
    second.start();
    wait_for(second);
    wait_for(first);
    EXPECT_EQ(sum_of_ones[0], world.size());
    EXPECT_EQ(highest[0], world.size() - 1);
  });
}

TEST(RoundOperation, what_does_not_fit_is_an_error) {
  on(2_ranks, [](Transport& world) {
    std::array<double, 3> in{}, out{};
    const auto error = [&](const Collective& what, Algorithm algorithm) {
      return error_of([&] { const RoundOperation operation(world, what, algorithm, start_tag); });
    };
    const auto bytes_in = std::as_bytes(std::span(in));
    const auto bytes_out = std::as_writable_bytes(std::span(out));
    EXPECT_EQ(error({}, Algorithm::ring), "There is no barrier by ring. Use one of: dissemination.");
    EXPECT_NE(error({.kind = Kind::all_to_all, .in = bytes_in.first(20), .out = bytes_out.first(12)}, Algorithm::bruck),
              "no error");
    EXPECT_NE(
        error({.kind = Kind::all_to_all, .in = bytes_in.first(16), .out = bytes_out.first(16), .in_bytes = {8, 8}},
              Algorithm::bruck),
        "no error");
    EXPECT_NE(error({.kind = Kind::all_reduce, .in = bytes_in, .out = bytes_out}, Algorithm::recursive_doubling),
              "no error");
    EXPECT_NE(error({.kind = Kind::all_reduce,
                     .in = bytes_in,
                     .out = bytes_out,
                     .reduction = reduction<double>([](double a, double) { return a; }, false).of_bytes},
                    Algorithm::tree),
              "no error");
  });
}

}  // namespace
}  // namespace weft
