// SPDX-License-Identifier: BSD-3-Clause
//
// Coarse tubes, computed with the defaults of weft flow.
#include "bench/accuracy/accuracy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/accuracy/tube_run.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {
namespace {

TEST(Accuracy, of_a_coarse_tube_is_within_its_bounds_and_the_same_on_any_number_of_ranks) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const TubeRun tube{.reynolds = 40, .voxels = 8};
  const auto steady = run_steady(world, tube);
  EXPECT_LT(std::abs(steady.stress_mean), 0.035);
  EXPECT_LT(steady.stress_rms, 0.08);
  EXPECT_LT(std::abs(steady.drop), 0.12);
  mpi::Communicator self(MPI_COMM_SELF);
  if (world.rank() == 0) {
    const auto alone = run_steady(self, tube);
    EXPECT_NEAR(steady.stress_mean, alone.stress_mean, 1e-12);
    EXPECT_NEAR(steady.stress_rms, alone.stress_rms, 1e-12);
    EXPECT_NEAR(steady.drop, alone.drop, 1e-9);
  }
  const auto pulse = run_pulse(world, tube, 2);
  EXPECT_LT(std::abs(pulse.amplitude), 0.08);
  EXPECT_LT(std::abs(pulse.degrees), 8);
}

TEST(Accuracy, of_a_flow_that_breaks_is_not_a_number) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const TubeRun tube{
      .reynolds = 1500,
      .voxels = 6,
      .changes = {"lattice.collision=\"bgk\"", "lattice.velocities=\"D3Q19\"", "lattice.time_step=2e-5"}};
  EXPECT_TRUE(std::isnan(run_steady(world, tube).drop));
}

}  // namespace
}  // namespace weft::bench
