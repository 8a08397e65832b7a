// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <optional>
#include <string>

#include "box_program/run.hpp"
#include "flow/tests/box_program/box_run.hpp"
#include "tests/support/file_limit.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using namespace weft::testing;

// This rank's error message of a run whose first rank can't write more than `bytes` bytes.
std::string said_on_a_full_disk(mpi::Communicator& world, rlim_t bytes) {
  const test::SharedScratch scratch(world);
  auto c = make_case({12, 12});
  c.monitor.every = 1;
  c.steps = 2000;
  c.output = {.directory = scratch.path};
  box_program::RunOptions options;
  options.settings.quiet = true;
  std::optional<test::FileLimit> limit;
  if (world.rank() == 0) limit.emplace(bytes);
  try {
    box_program::run(world, c, options);
  } catch (const InputError& e) {
    EXPECT_TRUE(e.everywhere());
    return e.what();
  }
  return "";
}

// Rank 0 writes its rows in the middle of a step, in which the other ranks are, too. The test repeats this with many
// sizes: a rank that leaves a step in its middle disturbs the other ranks' messages only if these are late.
TEST(BoxFullDisk, ends_all_ranks_in_order) {
  mpi::Communicator world(MPI_COMM_WORLD);
  for (rlim_t bytes = 1000; bytes <= 20000; bytes += 1000)
    ASSERT_THAT(said_on_a_full_disk(world, bytes),
                ::testing::HasSubstr(world.rank() == 0 ? "monitors.csv: This file can't be written (File too large)"
                                                       : "could not write"));
}

}  // namespace
}  // namespace weft
