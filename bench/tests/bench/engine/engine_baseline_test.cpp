// SPDX-License-Identifier: BSD-3-Clause
//
// The wave is bitwise identical with the baseline's and with weft's ghost exchange, and the benchmark reports its
// figures.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "bench/engine/engine.hpp"
#include "bench/tests/bench/report_of.hpp"
#include "programs/tests/wave/wave_run.hpp"
#include "weft/error.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {
namespace {

TEST(EngineBaseline, same_bits_as_the_exchange) {
  mpi::Communicator world(MPI_COMM_WORLD);
  auto c = testing::busy_case();
  const auto clock = std::make_shared<BaselineClock>();
  const auto plain = testing::end_by(world, c, 4, 2, baseline_of(world.handle(), clock));
  const auto weft = testing::end_by(world, c, 4, 2, ExchangeOptions{.messages = {.grouping = Grouping::by_size}});
  testing::expect_same(plain, weft, "baseline");
  testing::expect_same(testing::end_by(world, c, 4, 2, early_baseline_of(world.handle())), weft, "early baseline");
  EXPECT_GT(plain.regrids, 0);
  if (world.size() > 1) {
    EXPECT_GT(clock->seconds, 0);
  }
}

TEST(ProgressThreadCost, is_reported_of_every_mode_that_was_asked_for) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto costs = progress_thread_costs(
      world, {{.kind = ProgressOptions::Kind::passive}, {.kind = ProgressOptions::Kind::polling}}, 0.1);
  ASSERT_EQ(costs.size(), 2U);
  for (const auto& cost : costs) {
    EXPECT_GT(cost.slowdown.median, 0) << cost.name;
  }
}

TEST(Engine, reports_every_way_on_every_mesh) {
  mpi::Communicator world(MPI_COMM_WORLD);
  EngineBenchOptions options;
  options.cells = {16};
  options.blocks = {8, 32};  // a block of 32 does not fit
  options.progress = {ProgressOptions::Kind::passive, ProgressOptions::Kind::polling};
  options.seconds = 0.2;
  const auto report = report_of(options, [&](const EngineBenchOptions& o) { engine(world, o); });
  if (world.rank() == 0) {
    std::set<std::string> measured;
    for (const auto& result : report["results"]) {
      // The time of the communication is a difference of times, which noise can make negative.
      const bool is_difference = result["what"].get<std::string>().ends_with("communication over computation");
      EXPECT_TRUE(is_difference || result["median"].get<double>() > 0) << result["what"];
      measured.insert(result["what"].get<std::string>());
    }
    for (const auto* way : {"plain MPI", "plain MPI, early", "passive, by_size", "passive, per_part",
                            "polling, by_size", "polling, per_part"})
      EXPECT_EQ(measured.count(std::string("16^3, blocks of 8^3: ") + way), 1U) << way;
    EXPECT_EQ(report["figures"].contains("worst_speedup_over_baseline"), world.size() > 1);
  }
  options.blocks = {32};
  EXPECT_THROW(engine(world, options), InputError);
}

}  // namespace
}  // namespace weft::bench
