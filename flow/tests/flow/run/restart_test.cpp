// SPDX-License-Identifier: BSD-3-Clause
//
// Flows that restart from checkpoints end bitwise identical to uninterrupted ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "flow/run/checkpoint_file.hpp"
#include "flow/run/simulation.hpp"
#include "tests/support/flow_checkpoints.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using test::content;
using testing::HasSubstr;

RunResult run(mpi::Communicator& world, const Case& c, std::optional<fs::path> restart = {}) {
  return flow::run(world, c, make_vessel(world, c, short_tube().surface()),
                   {.settings = {.quiet = true, .restart = std::move(restart)}});
}

std::string blocks_of(const fs::path& file) {
  const auto text = content(file);
  return text.substr(header_bytes(text));
}

TEST(FlowCheckpoint, a_run_that_goes_on_ends_with_the_same_bytes) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  for (const auto way : {Monitors::Way::rounds, Monitors::Way::nonblocking, Monitors::Way::phased}) {
    const auto whole = scratch.path / name_of(way), parts = whole / "parts";
    auto c = busy(whole, 43);
    c.monitor.way = way;
    run(world, c);
    c.output.directory = parts;
    c.run.steps = 24;  // beyond the last checkpoint that remains below
    run(world, c);
    const auto from = way == Monitors::Way::phased ? 22 : 20;
    alone(world, [&] {
      fs::remove(parts / "checkpoint_00000024.weft");
      std::ofstream(parts / "checkpoint_00000015.weft.weft-abcdefghrxih") << "of a run that was killed";
      std::ofstream(parts / "monitors.csv", std::ios::app) << "24,0.";
    });
    c.run.steps = 43;
    const auto result = run(world, c, fs::path());
    EXPECT_EQ(result.from_step, from) << name_of(way);
    EXPECT_EQ(result.steps, 43);
    EXPECT_FALSE(fs::exists(parts / "checkpoint_00000015.weft.weft-abcdefghrxih"));
    for (const auto* name : {"monitors.csv", "monitors.json", "fields_00000042.vtkhdf"})
      EXPECT_TRUE(content(parts / name) == content(whole / name)) << name_of(way) << ": " << name;
    if (way == Monitors::Way::phased) continue;
    EXPECT_TRUE(content(parts / "checkpoint_00000043.weft") == content(whole / "checkpoint_00000043.weft"))
        << name_of(way);
  }
}

TEST(FlowCheckpoint, changes_that_make_no_sense_are_refused) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = busy(scratch.path, 10);
  run(world, c);
  const auto file = scratch.path / "checkpoint_00000010.weft";
  for (const auto* state :
       {R"({"ramps":5})", R"({"ramps":[[1,2]]})", R"({"ramps":[["a",0,0,0]]})", R"({"ramps":[]})"}) {
    alone(world, [&] {
      auto header = checkpoint::parse(file, checkpoint::read_header_bytes(file));
      header.program_state = state;
      std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << checkpoint::bytes_of(header);
    });
    EXPECT_THAT(message_of(world, [&] { run(world, c, file); }), HasSubstr("its state of the openings can't be read"))
        << state;
  }
}

TEST(FlowCheckpoint, goes_on_on_any_number_of_ranks) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  run(world, busy(scratch.path / "all", 20));
  const auto last = run(world, busy(scratch.path / "all", 31), fs::path()).last;
  alone(world, [&] {  // one rank continues what many ranks wrote
    mpi::Communicator self(MPI_COMM_SELF);
    run(self, busy(scratch.path / "one", 31));
    run(self, busy(scratch.path / "one_from_all", 31), scratch.path / "all/checkpoint_00000030.weft");
    run(self, busy(scratch.path / "one_of_20", 20));
  });
  const auto row = run(world, busy(scratch.path / "all_from_one", 31), scratch.path / "one_of_20").last;
  EXPECT_NEAR(row.mass / last.mass, 1, 1e-12);
  EXPECT_NEAR(row.relative_change / last.relative_change, 1, 1e-9);
  EXPECT_EQ(row.highest_mach, last.highest_mach);
  alone(world, [&] {
    const auto expected = blocks_of(scratch.path / "one/checkpoint_00000031.weft");
    for (const auto* directory : {"all", "one_from_all", "all_from_one"})
      EXPECT_TRUE(blocks_of(scratch.path / directory / "checkpoint_00000031.weft") == expected) << directory;
  });
}

TEST(FlowCheckpoint, a_converged_run_is_over) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = busy(scratch.path, 60);
  c.monitor.tolerance = 0.9;
  const auto first = run(world, c);
  ASSERT_TRUE(first.converged);
  const auto csv = content(scratch.path / "monitors.csv");
  const auto again = run(world, c, fs::path());
  EXPECT_TRUE(again.converged);
  EXPECT_EQ(again.from_step, first.steps);
  EXPECT_EQ(again.steps, first.steps);
  EXPECT_EQ(content(scratch.path / "monitors.csv"), csv);
  c.run.steps = 1;
  EXPECT_THAT(message_of(world, [&] { run(world, c, fs::path()); }), HasSubstr("Give a larger number of steps"));
}

}  // namespace
}  // namespace weft::flow
