// SPDX-License-Identifier: BSD-3-Clause
//
// A wave whose ghosts the twin moves is the wave that weft moves, bit by bit; and the benchmark's report has its figures.
#include "bench/engine_twin.hpp"

#include <gtest/gtest.h>

#include "bench/helper_cost.hpp"
#include "tests/wave/wave_run.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {
namespace {

TEST(EngineTwin, SameBitsAsTheExchange) {
  mpi::Communicator world(MPI_COMM_WORLD);
  auto c = testing::busy_case();
  const auto clock = std::make_shared<TwinClock>();
  const auto plain = testing::end_by(world, c, 4, 2, twin_of(world.handle(), clock));
  const auto weft = testing::end_by(world, c, 4, 2, ExchangeOptions{.grouping = Grouping::by_size});
  testing::expect_same(plain, weft, "twin");
  EXPECT_GT(plain.regrids, 0);
  if (world.size() > 1) {
    EXPECT_GT(clock->seconds, 0);
  }
}

TEST(HelperCost, TellsOfEveryHelperThatWasAskedFor) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto costs = helper_costs(world, {{.kind = ProgressOptions::Kind::passive}, {.kind = ProgressOptions::Kind::polling}}, 0.1);
  ASSERT_EQ(costs.size(), 2U);
  for (const auto& cost : costs) {
    EXPECT_GT(cost.slowdown.median, 0) << cost.name;
  }
}

}  // namespace
}  // namespace weft::bench
