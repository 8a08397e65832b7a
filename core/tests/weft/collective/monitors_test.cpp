// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/monitors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/core_ranks.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;
using Way = Monitors::Way;

constexpr Way monitor_ways[] = {Way::nonblocking, Way::blocking, Way::rounds, Way::phased};

struct Highest {
  struct Value {
    double value;
    char padding;
  };
  Value local() { return {next++ + 10.0 * rank, 'x'}; }
  static Value combine(const Value& a, const Value& b) { return a.value > b.value ? a : b; }
  void use(const Value& all, std::int64_t step) { seen.emplace_back(step, all.value); }

  int rank;
  int next = 0;
  std::vector<std::pair<std::int64_t, double>> seen{};
};

struct Order {
  struct Value {
    std::int32_t first, last;
  };
  Value local() { return {rank, rank}; }
  static Value combine(const Value& a, const Value& b) {
    return a.last + 1 == b.first ? Value{a.first, b.last} : Value{-9, -9};
  }
  void use(const Value& all, std::int64_t) {
    EXPECT_TRUE(all.first == 0 && all.last + 1 == ranks) << all.first << ' ' << all.last;
  }

  int rank, ranks;
};

TEST(Composite, refuses_values_that_do_not_fit_their_reduction) {
  on(any_ranks, [](Transport& world) {
    const auto values = [&](std::size_t bytes) {
      return error_of([&] {
        const Composite both(world, {Composite::Value::of(sum<float>(), 3), {sum<double>().of_bytes, bytes}});
      });
    };
    EXPECT_EQ(values(16), "no error");
    EXPECT_THAT(values(12), HasSubstr("Value 1 of a composite has 12 bytes, but its reduction has elements of 8"));
  });
}

TEST(Monitors, all_ways_tell_the_same) {
  on(any_ranks, [](Transport& world) {
    for (const auto way : monitor_ways) {
      SCOPED_TRACE(name_of(way));
      Highest highest{world.rank()};
      Order order{world.rank(), world.size()};
      StepManager manager(world);
      Monitors monitors(world);
      monitors.add(order);
      monitors.add(highest);
      monitors.start(manager, "monitors", {.way = way, .every = 6, .offset = 1});
      for (int step = 0; step < 24; ++step) manager.run_step();
      ASSERT_EQ(highest.seen.size(), 4U);
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(highest.seen[k].first, static_cast<std::int64_t>(6 * k + 1));
        EXPECT_EQ(highest.seen[k].second, static_cast<double>(k) + 10.0 * (world.size() - 1));
      }
      monitors.stop(manager);
      monitors.read_now(77);
      EXPECT_EQ(highest.seen.back().first, 77);
      manager.run_step();
      EXPECT_EQ(highest.seen.size(), 5U);
    }
  });
}

// Another client, with a message and a collective of its own, in the same steps.
struct Ring final : Client {
  explicit Ring(Transport& t) : transport(t) {}
  void request(Requests& requests) override {
    requests.send((transport.rank() + 1) % transport.size(), 0, contiguous(std::span<const int>(&mine, 1)));
    requests.receive((transport.rank() + transport.size() - 1) % transport.size(), 0,
                     contiguous(std::span<int>(&theirs, 1)));
  }
  Transport& transport;
  int mine = 0, theirs = 0;
};

TEST(Monitors, ten_of_them_are_one_collective) {
  on(any_ranks, [](Transport& world) {
    Ring ring(world);
    std::vector<Highest> ten(10, Highest{world.rank()});
    StepManager manager(world);
    Monitors monitors(world);
    for (auto& one : ten) monitors.add(one);
    monitors.start(manager, "monitors", {});
    manager.add("ring", ring);
    for (int step = 0; step < 5; ++step) manager.run_step();
    EXPECT_EQ(manager.counts().collectives, 5);
    EXPECT_EQ(manager.counts().waits, 5);
    for (const auto& one : ten) EXPECT_EQ(one.seen.size(), 5U);
  });
}

// Phased monitors take as many steps as they have rounds: two or more with three ranks.
TEST(Monitors, know_when_nothing_is_on_its_way) {
  on(any_ranks, [](Transport& world) {
    for (const auto way : monitor_ways) {
      Highest highest{world.rank()};
      StepManager manager(world);
      Monitors monitors(world);
      monitors.add(highest);
      monitors.start(manager, "monitors", {.way = way, .every = 6, .offset = 1});
      manager.start_at(13);  // it is started again in this step
      for (std::int64_t step = 13; step < 25; ++step) {
        EXPECT_TRUE(monitors.idle_before(13) && monitors.idle_before(18));
        EXPECT_EQ(monitors.idle_before(14), way != Way::phased || world.size() < 3);
        const auto told = highest.seen.size();
        manager.run_step();
        if (!monitors.idle_before(manager.step())) {
          EXPECT_EQ(highest.seen.size(), told);
        }
      }
      EXPECT_EQ(highest.seen.size(), 2U);
    }
  });
}

TEST(Monitors, none_are_no_client) {
  on(any_ranks, [](Transport& world) {
    StepManager manager(world);
    Monitors monitors(world);
    monitors.start(manager, "monitors", {});
    manager.run_step();
    monitors.read_now(0);
    EXPECT_EQ(manager.counts().collectives, 0);
  });
}

struct Idle final : Client {
  void request(Requests&) override {}
};

// A start that is refused leaves nothing behind, also in a step, and may be repeated.
TEST(Monitors, may_start_after_a_start_that_was_refused) {
  struct Starting final : Client {
    explicit Starting(std::function<void()> action) : action_(std::move(action)) {}
    void request(Requests&) override {}
    void after(Step&) override {
      std::exchange(action_, [] {})();
    }
    std::function<void()> action_;
  };
  on(any_ranks, [](Transport& world) {
    for (const auto way : monitor_ways)
      for (const bool in_step : {false, true}) {
        SCOPED_TRACE(name_of(way));
        Highest highest{world.rank()};
        Idle taken;
        StepManager manager(world);
        const std::string last_phase = world.size() > 2 ? " phase 1" : " phase 0";
        manager.add("taken" + (way == Way::phased ? last_phase : ""), taken);
        {
          Monitors monitors(world);
          monitors.add(highest);
          Starting starting([&] {
            const auto start = [&](const std::string& name) {
              return error_of([&] { monitors.start(manager, name, {.way = way}); });
            };
            EXPECT_THAT(start("taken"), HasSubstr("Two clients are called 'taken"));
            EXPECT_EQ(start("others"), "no error");
            EXPECT_THAT(start("again"), HasSubstr("The monitors are started twice."));
          });
          if (in_step) {
            manager.add("starting", starting);
            manager.run_step();
          } else {
            starting.action_();
          }
          for (int step = 0; step < 6; ++step) manager.run_step();
          monitors.stop(manager);
          if (in_step) manager.remove(starting);
        }
        EXPECT_FALSE(highest.seen.empty());
        manager.run_step();
      }
  });
}

// A monitor whose reduction has another name on rank 1.
struct Named {
  using Value = double;
  Value local() { return 1; }
  static Value combine(const Value& a, const Value& b) { return a + b; }
  void use(const Value&, std::int64_t) {}
};
struct Largest : Named {
  static std::string what() { return "the largest"; }
};

TEST(Monitors, of_the_ranks_are_compared) {
  on({2, 3}, [](Transport& world) {
    for (const auto way : monitor_ways)
      for (const bool is_missing : {false, true}) {
        SCOPED_TRACE(name_of(way));
        Named first, sums;
        Largest largest;
        StepManager manager(world);
        Monitors monitors(world);
        monitors.add(first);
        if (world.rank() != 1)
          monitors.add(largest);
        else if (!is_missing)
          monitors.add(sums);
        const auto start = [&] { monitors.start(manager, "monitors", {.way = way}); };
        EXPECT_THAT(error_of(start), ::testing::StartsWith("Monitor 1 is "));
        EXPECT_THAT(error_of(start), ::testing::EndsWith(" on rank 1, but the largest on rank 0. Add the same monitors "
                                                         "in the same order on all ranks."));
      }
    StepManager manager(world);
    Monitors monitors(world);
    Named first;
    if (world.rank() == 1) monitors.add(first);
    EXPECT_THAT(error_of([&] { monitors.start(manager, "monitors", {}); }),
                ::testing::EndsWith(
                    " on rank 1, but missing on rank 0. Add the same monitors in the same order on all ranks."));
  });
}

TEST(Monitors, ways_have_names) {
  for (const auto way : monitor_ways) EXPECT_EQ(monitors_way(name_of(way)), way);
  EXPECT_EQ(error_of([] { monitors_way("hope"); }),
            "Unknown way of monitors 'hope'. Use one of: nonblocking, blocking, rounds, phased.");
}

}  // namespace
}  // namespace weft
