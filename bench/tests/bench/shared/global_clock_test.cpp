// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark's clock detects clocks that are wrong by known amounts. The bounds are wide: ranks may have to share
// cores.
#include "bench/shared/global_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "tests/support/core_ranks.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

using testing::any_ranks;
using testing::on;

// The clocks of a few ranks, hours apart, with the largest drift of quartz clocks.
struct WrongClock {
  double skew, drift, from;

  WrongClock(Transport& transport, int rank, double by = 3600)
      : skew(by * (rank == 2 ? -2.5 : 1.5 * rank)), drift(1e-4 * (rank % 2 == 0 ? 1 : -0.5)),
        from(broadcast(transport, std::vector{now_seconds()}, 0).front()) {}
  double at(double truth) const { return truth + (skew + drift * (truth - from)); }
};

constexpr double digits = 1e-7;  // rounding error of times of hours, seconds
constexpr double wide = 200e-6;  // seconds; wider only where the clock's own estimate says so, on a busy machine

struct Case {
  explicit Case(Transport& transport, const ClockOptions& with = {}, double by = 3600)
      : mine(transport, transport.rank(), by), reference(transport, 0, by), clock(transport, options(with)) {
    reference.from = mine.from;
  }
  ClockOptions options(ClockOptions with) const {
    with.local = [this] { return mine.at(now_seconds()); };
    return with;
  }
  double error(double truth) const { return std::abs(clock.to_global(mine.at(truth)) - reference.at(truth)); }
  double estimate(double truth) const { return clock.model().error_at(mine.at(truth)) * 1.001 + digits; }

  WrongClock mine, reference;
  GlobalClock clock;
};

TEST(GlobalClock, finds_skews_of_hours) {
  on(any_ranks, [](Transport& transport) {
    const Case c(transport);
    const double truth = now_seconds();
    EXPECT_LE(c.error(truth), std::max(wide, c.estimate(truth)));
    EXPECT_LE(c.error(truth), c.estimate(truth));
    if (transport.rank() == 0) {
      EXPECT_EQ(c.clock.model().skew, 0);
      EXPECT_EQ(c.clock.model().drift, 0);
      EXPECT_EQ(c.clock.model().error, 0);
    }
  });
}

TEST(GlobalClock, finds_drifts) {
  on(any_ranks, [](Transport& transport) {
    const Case c(transport, {.pings = 50, .span_seconds = 0.3});
    const double truth = now_seconds(), later = truth + 0.3;
    EXPECT_LE(c.error(truth), std::max(wide, c.estimate(truth)));
    EXPECT_LE(c.error(later), std::max(2 * wide, c.estimate(later)));
    EXPECT_LE(c.error(truth), c.estimate(truth));
    EXPECT_LE(c.error(later), c.estimate(later));
    // Whether the drift is reported depends on the quality of the round trips.
    const auto& model = c.clock.model();
    const double drift = (c.reference.drift - c.mine.drift) / (1 + c.mine.drift);
    EXPECT_LE(std::abs(model.drift - drift), model.drift_error * 1.001 + digits);
  });
}

TEST(GlobalClock, learns_the_drift_when_synchronised_again) {
  on({2, 3}, [](Transport& transport) {
    Case c(transport, {.pings = 50}, 10);
    EXPECT_EQ(c.clock.model().drift, 0);
    const double before = c.clock.model().drift_error;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    c.clock.synchronise();
    const double truth = now_seconds();
    EXPECT_LE(c.error(truth), std::max(wide, c.estimate(truth)));
    EXPECT_LE(c.error(truth), c.estimate(truth));
    EXPECT_LE(c.clock.model().drift_error, before);
  });
}

TEST(GlobalClock, all_ranks_know_all_models) {
  on(any_ranks, [](Transport& transport) {
    const Case c(transport, {.pings = 5});
    const auto& models = c.clock.models();
    ASSERT_EQ(models.size(), static_cast<std::size_t>(transport.size()));
    EXPECT_EQ(models[static_cast<std::size_t>(transport.rank())].skew, c.clock.model().skew);
    for (const auto& model : models) EXPECT_EQ(all_reduce(transport, model.skew, maximum<double>()), model.skew);
  });
}

// The path to rank 0 goes through up to two other ranks. So many ranks are only tested as threads.
TEST(GlobalClock, joins_the_models_of_many_ranks) {
  on({5, 8}, [](Transport& transport) {
    const Case c(transport, {.pings = 20, .span_seconds = 0.02});
    const double truth = now_seconds();
    EXPECT_LE(c.error(truth), std::max(10 * wide, c.estimate(truth)));
    EXPECT_LE(c.error(truth), c.estimate(truth));
  });
}

TEST(GlobalClock, does_not_go_back) {
  on(any_ranks, [](Transport& transport) {
    const Case c(transport, {.pings = 20, .span_seconds = 0.01});
    const double first = c.clock.now();
    double last = first;
    for (int i = 0; i < 10000; ++i) {
      const double now = c.clock.now();
      ASSERT_GE(now, last);
      last = now;
    }
    EXPECT_GT(last, first);
  });
}

TEST(GlobalClock, the_mean_of_all_round_trips_is_bounded_too) {
  on({2, 4}, [](Transport& transport) {
    const Case c(transport, {.pings = 50, .keep = 1}), least(transport, {.pings = 1});
    for (const auto* one : {&c, &least}) {
      const double truth = now_seconds();
      EXPECT_LE(one->error(truth), one->estimate(truth));
    }
  });
}

}  // namespace
}  // namespace weft::bench
