// SPDX-License-Identifier: BSD-3-Clause
//
// Runs that restart from checkpoints end bitwise identical to uninterrupted runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/shared_scratch.hpp"
#include "wave/outputs.hpp"
#include "wave/run.hpp"
#include "weft/error.hpp"

namespace weft::wave {
namespace {

namespace fs = std::filesystem;

Case busy(const fs::path& directory, std::int64_t steps) {
  Case c;
  c.domain = {.blocks = {3, 3, 3}, .periodic = {true, true, true}, .cells = 8, .spacing = 1.0 / 24};
  c.pulses = {{.width = 0.06, .centre = {0.3, 0.45, 0.5}}};
  c.refinement = {
      .levels = 1, .criterion = Refinement::Criterion::gradient, .threshold = 0.04, .buffer = 1, .every = 2};
  c.steps = steps;
  c.output.directory = directory;
  c.output.every = 2;
  c.checkpoint_every = 2;
  c.constraint_every = 1;
  return c;
}

TEST(WaveRestart, ends_with_the_same_bits) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  run(world, busy(scratch.path / "whole", 5), {.settings = {.quiet = true}});
  if (world.rank() == 0) {  // written by one rank, continued by all
    mpi::Communicator alone(MPI_COMM_SELF);
    run(alone, busy(scratch.path / "parts", 3), {.settings = {.quiet = true}});
    fs::remove(scratch.path / "parts/checkpoint_00000003.weft");
  }
  barrier(world);
  const auto result = run(world, busy(scratch.path / "parts", 5), {.settings = {.quiet = true, .restart = fs::path()}});
  EXPECT_EQ(result.from_step, 2);
  EXPECT_EQ(result.steps, 5);
  EXPECT_EQ(result.made(), 3);
  if (world.rank() == 0) {
    for (const auto* name : {"checkpoint_00000005.weft", "monitors.csv", "monitors.json", "constraint.csv"})
      EXPECT_TRUE(test::content(scratch.path / "parts" / name) == test::content(scratch.path / "whole" / name)) << name;
    // The file of step 3 exists, but the run has restarted from step 2.
    EXPECT_EQ(test::content(scratch.path / "parts/fields.vtkhdf.series"),
              test::content(scratch.path / "whole/fields.vtkhdf.series"));
  }
  barrier(world);
}

TEST(WaveRestart, another_case_is_one_line) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = busy(scratch.path, 1);
  run(world, c, {.settings = {.quiet = true}});
  c.cfl = 0.3;
  try {
    read_checkpoint(world, c, {});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_TRUE(e.everywhere());
    EXPECT_THAT(e.what(), testing::HasSubstr("it has 'wave.cfl = 0.4', this case has 'wave.cfl = 0.3'"));
  }
  c = busy(scratch.path, 1);
  c.steps = 0;
  EXPECT_THROW(run(world, c, {.settings = {.quiet = true, .restart = fs::path()}}), InputError);
}

}  // namespace
}  // namespace weft::wave
