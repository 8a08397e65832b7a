// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/tests/weft/collective/ordered_range.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/collective/round_operation.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using Kind = Collective::Kind;

/// Runs a collective four times, each time with new input, and calls `check(time)` after each result.
void run(Transport& world, const Collective& what, Algorithm algorithm, Pace pace, const std::function<void(int)>& fill,
         const std::function<void(int)>& check, int arity = 2) {
  StepManager manager(world);
  Rounds rounds(world, what, algorithm, {.arity = arity});
  int loaded = 0, used = 0;
  rounds.add_to(manager, "rounds", {.pace = pace, .load = [&] { fill(loaded++); }, .use = [&] { check(used++); }});
  const int late = pace == Pace::phased ? std::max(1, rounds.rounds()) : 1;
  for (int step = 0; step < 4 * late; ++step) {
    manager.run_step();
    EXPECT_EQ(used, (step + 1) / late);
  }
  EXPECT_LE(manager.counts().waits, pace == Pace::phased ? 4 * late : 4);
  rounds.remove_from(manager);
}

void all_ways(Kind kind, const std::function<void(Algorithm, Pace)>& test) {
  for (const auto algorithm : algorithms_of(kind))
    for (const auto pace : {Pace::in_step, Pace::phased}) {
      SCOPED_TRACE(std::string(name_of(kind)) + ' ' + name_of(algorithm) + ' ' + name_of(pace));
      test(algorithm, pace);
    }
}

TEST(Rounds, all_reduce_keeps_the_order_of_the_ranks) {
  on(any_ranks, [](Transport& world) {
    const auto rank = world.rank(), size = world.size();
    all_ways(Kind::all_reduce, [&](Algorithm algorithm, Pace pace) {
      const bool is_tree = algorithm == Algorithm::tree;
      std::array<Range, 2> in{}, out{};
      run(
          world,
          {.kind = Kind::all_reduce,
           .in = std::as_bytes(std::span(in)),
           .out = std::as_writable_bytes(std::span(out)),
           .reduction = (is_tree ? reduction<Range>(added) : reduction<Range>(joined, false)).of_bytes},
          algorithm, pace,
          [&](int time) {
            in = {Range{rank, rank}, Range{rank + time, rank + time}};
          },
          [&](int time) {
            EXPECT_EQ(out[0].last, size - 1);
            EXPECT_EQ(out[1].last, size - 1 + time);
            EXPECT_EQ(out[1].first, is_tree ? size * (size - 1) / 2 + size * time : time);
          });
    });
  });
}

// Whatever the step in which they are added: the first result is of a whole start.
TEST(Rounds, phased_ones_begin_with_their_first_phase) {
  on(any_ranks, [](Transport& world) {
    const int size = world.size();
    for (int first = 0; first < 7; ++first) {
      int in = 0, out = 0, used = 0;
      StepManager manager(world);
      manager.start_at(first);
      Rounds rounds(world, Collective::all_reduce(std::span<const int>(&in, 1), std::span(&out, 1), sum<int>()));
      const auto load = [&] { in = world.rank() + 1; };
      const auto use = [&] {
        EXPECT_EQ(out, size * (size + 1) / 2);
        ++used;
      };
      for (int time = 0; time < 2; ++time) {  // they may be added again
        rounds.add_to(manager, "sum", {.pace = Pace::phased, .every = 5, .load = load, .use = use});
        for (int step = 0; step < 10; ++step) manager.run_step();
        rounds.remove_from(manager);
        manager.run_step();
        in = out = -1;
      }
      EXPECT_GE(used, 2);
      EXPECT_LE(used, 4);
    }
  });
}

TEST(Rounds, of_nothing_complete) {
  on(any_ranks, [](Transport& world) {
    for (const auto kind : {Kind::broadcast, Kind::reduce, Kind::all_reduce, Kind::all_gather, Kind::all_to_all})
      all_ways(kind, [&](Algorithm algorithm, Pace pace) {
        const Collective nothing{.kind = kind, .reduction = sum<double>().of_bytes};
        run(
            world, nothing, algorithm, pace, [](int) {}, [](int) {});
        RoundOperation operation(world, nothing, algorithm, 5);
        for (int time = 0; time < 2; ++time) complete(operation);
      });
  });
}

TEST(Rounds, reduce_and_broadcast_from_any_root) {
  on(any_ranks, [](Transport& world) {
    const auto rank = world.rank(), size = world.size();
    for (int root = 0; root < size; ++root) {
      all_ways(Kind::reduce, [&](Algorithm algorithm, Pace pace) {
        const bool is_tree = algorithm == Algorithm::tree;
        Range in{}, out{};
        const auto result = rank == root ? std::as_writable_bytes(std::span(&out, 1)) : std::span<std::byte>();
        run(
            world,
            {.kind = Kind::reduce,
             .in = std::as_bytes(std::span(&in, 1)),
             .out = result,
             .reduction = (is_tree ? reduction<Range>(added) : reduction<Range>(joined, false)).of_bytes,
             .root = root},
            algorithm, pace,
            [&](int time) {
              in = {rank + time, rank + time};
            },
            [&](int time) {
              if (rank == root) {
                EXPECT_EQ(out.last, size - 1 + time);
                EXPECT_EQ(out.first, is_tree ? size * (size - 1) / 2 + size * time : time);
              }
            });
      });
      all_ways(Kind::broadcast, [&](Algorithm algorithm, Pace pace) {
        std::int64_t data = 0;
        run(
            world, {.kind = Kind::broadcast, .out = std::as_writable_bytes(std::span(&data, 1)), .root = root},
            algorithm, pace, [&](int time) { data = rank == root ? 7 + time : -1; },
            [&](int time) { EXPECT_EQ(data, 7 + time); }, 3);
      });
    }
  });
}

TEST(Rounds, all_gather_and_all_to_all) {
  on(any_ranks, [](Transport& world) {
    const auto rank = world.rank(), size = world.size();
    std::vector<std::array<int, 3>> in(static_cast<std::size_t>(size)), out(in.size());
    const auto bytes_in = std::as_bytes(std::span(in));
    const auto bytes_out = std::as_writable_bytes(std::span(out));
    all_ways(Kind::all_gather, [&](Algorithm algorithm, Pace pace) {
      run(
          world, {.kind = Kind::all_gather, .in = bytes_in.first(sizeof(in[0])), .out = bytes_out}, algorithm, pace,
          [&](int time) {
            in[0] = {rank, time, 3};
          },
          [&](int time) {
            for (int p = 0; p < size; ++p)
              EXPECT_EQ(out[static_cast<std::size_t>(p)], (std::array<int, 3>{p, time, 3}));
          });
    });
    all_ways(Kind::all_to_all, [&](Algorithm algorithm, Pace pace) {
      run(
          world, {.kind = Kind::all_to_all, .in = bytes_in, .out = bytes_out}, algorithm, pace,
          [&](int time) {
            for (int p = 0; p < size; ++p) in[static_cast<std::size_t>(p)] = {rank, p, time};
          },
          [&](int time) {
            for (int p = 0; p < size; ++p)
              EXPECT_EQ(out[static_cast<std::size_t>(p)], (std::array<int, 3>{p, rank, time}));
          });
    });
  });
}

TEST(Rounds, a_barrier_lets_nobody_through_before_all_have_come) {
  on(any_ranks, [](Transport& world) {
    all_ways(Kind::barrier, [&](Algorithm algorithm, Pace pace) {
      run(
          world, {}, algorithm, pace, [](int) {}, [](int) {});
    });
  });
}

// The messages of a schedule match, with many more ranks than a test can run, and its result is right.
TEST(Rounds, schedules_are_right_on_many_ranks) {
  for (const auto kind : {Kind::all_reduce, Kind::reduce, Kind::broadcast, Kind::all_gather, Kind::all_to_all})
    for (const auto algorithm : algorithms_of(kind))
      for (int size = 1; size <= 21; ++size)
        for (const int root : {0, size / 2, size - 1}) {
          SCOPED_TRACE(std::string(name_of(kind)) + ' ' + name_of(algorithm) + ' ' + std::to_string(size));
          const auto n = static_cast<std::size_t>(size);
          std::vector<CollectiveSchedule> of;
          for (int r = 0; r < size; ++r)
            of.push_back(make_schedule(kind, algorithm, r, size, {.root = root, .arity = 3}));
          // Each slot has the sorted list of the contributions in it.
          std::vector<std::vector<std::vector<int>>> slots(n);
          for (std::size_t r = 0; r < n; ++r) {
            ASSERT_EQ(of[r].rounds.size(), of[0].rounds.size());
            slots[r].resize(of[r].slots);
            for (std::size_t b = 0; b < of[r].in.size(); ++b)
              slots[r][of[r].in[b]] = {static_cast<int>(r * (kind == Kind::all_to_all ? n : 1) + b)};
          }
          for (std::size_t round = 0; round < of[0].rounds.size(); ++round) {
            auto next = slots;
            for (std::size_t r = 0; r < n; ++r)
              for (const auto& receive : of[r].rounds[round].receives) {
                const auto from = static_cast<std::size_t>(receive.peer);
                const CollectiveSchedule::Send* sent = nullptr;
                for (const auto& send : of[from].rounds[round].sends)
                  if (send.peer == static_cast<int>(r)) sent = &send;
                ASSERT_NE(sent, nullptr);
                ASSERT_EQ(sent->slots.size(), receive.slots.size());
                for (std::size_t b = 0; b < receive.slots.size(); ++b) {
                  auto& slot = next[r][receive.slots[b]];
                  const auto& arrived = slots[from][sent->slots[b]];
                  if (receive.then == CollectiveSchedule::Receive::Then::replace)
                    slot = arrived;
                  else
                    slot.insert(
                        receive.then == CollectiveSchedule::Receive::Then::combine_left ? slot.begin() : slot.end(),
                        arrived.begin(), arrived.end());
                }
              }
            slots = next;
          }
          std::vector<int> everybody(n);
          std::iota(everybody.begin(), everybody.end(), 0);
          for (std::size_t r = 0; r < n; ++r)
            for (std::size_t b = 0; b < of[r].out.size(); ++b) {
              auto got = slots[r][of[r].out[b]];
              if (algorithm == Algorithm::tree) std::sort(got.begin(), got.end());
              if (kind == Kind::broadcast)
                EXPECT_EQ(got, std::vector<int>{root});
              else if (kind == Kind::all_gather)
                EXPECT_EQ(got, std::vector<int>{static_cast<int>(b)});
              else if (kind == Kind::all_to_all)
                EXPECT_EQ(got, std::vector<int>{static_cast<int>(b * n + r)});
              else
                EXPECT_EQ(got, everybody);
            }
        }
}

TEST(Rounds, a_nan_of_any_rank_reaches_all) {
  on(any_ranks, [](Transport& world) {
    all_ways(Kind::all_reduce, [&](Algorithm algorithm, Pace pace) {
      double in = 0, out = 0;
      run(
          world, Collective::all_reduce(std::span<const double>(&in, 1), std::span(&out, 1), maximum<double>()),
          algorithm, pace,
          [&](int time) { in = time == world.rank() ? std::numeric_limits<double>::quiet_NaN() : world.rank(); },
          [&](int time) { EXPECT_EQ(std::isnan(out), time < world.size()) << time; });
    });
  });
}

TEST(Rounds, what_does_not_fit_is_an_error) {
  on(2_ranks, [](Transport& world) {
    double in = 0, out[2] = {};
    const auto make = [&](Collective what, Algorithm algorithm) {
      return error_of([&] { const Rounds rounds(world, what, algorithm); });
    };
    EXPECT_EQ(make({.kind = Kind::broadcast}, Algorithm::bruck),
              "There is no broadcast by bruck. Use one of: binomial, tree.");
    EXPECT_NE(make({.kind = Kind::all_reduce,
                    .in = std::as_bytes(std::span(&in, 1)),
                    .out = std::as_writable_bytes(std::span(out)),
                    .reduction = sum<double>().of_bytes},
                   Algorithm::recursive_doubling),
              "no error");
    EXPECT_NE(
        make({.kind = Kind::broadcast, .out = std::as_writable_bytes(std::span(out)), .root = 5}, Algorithm::binomial),
        "no error");
  });
}

}  // namespace
}  // namespace weft
