// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes that restart from checkpoints end bitwise identical to uninterrupted ones, on any number of ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "box_program/run.hpp"
#include "flow/tests/box_program/box_run.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/shared_scratch.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace weft::testing;
using box_program::RunResult;
using lattice::Precision;
using lattice::VelocitySet;
using test::content;
using ::testing::HasSubstr;

// Also with a fixed particle, and with monitors that keep velocities.
Case busy(const fs::path& directory, VelocitySet set, Precision precision) {
  auto c = make_busy_case(set, precision);
  c.title = "busy";
  if (set == VelocitySet::d2q9)
    c.particles.list.push_back({.position = {1, 12, 0}, .spin = {0, 0, 0.01}, .radius = 2.1, .fixed = true});
  else
    c.particles.list.push_back({.position = {2, 9, 3}, .spin = {0, 0, 0.01}, .radius = 2, .fixed = true});
  c.monitor.every = 3;
  c.monitor.convergence = true;
  c.steps = 34;
  c.checkpoint_every = 10;
  c.output = {.directory = directory, .every = 8};
  return c;
}

RunResult run(mpi::Communicator& world, const Case& c, std::optional<fs::path> restart = {}) {
  box_program::RunOptions options;
  options.settings.quiet = true;
  options.settings.restart = std::move(restart);
  return box_program::run(world, c, options);
}

const std::string end = "checkpoint_00000034.weft", before = "checkpoint_00000020.weft";

// A fixed number of ranks writes; all ranks, and one rank alone, continue.
TEST(BoxCheckpoint, a_run_that_goes_on_ends_with_the_same_bytes) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  for (const auto set : {VelocitySet::d2q9, VelocitySet::d3q19})
    for (const auto precision : {Precision::fp64, Precision::fp32}) {
      const auto whole = scratch.path / std::to_string(static_cast<int>(set) * 2 + static_cast<int>(precision));
      auto c = busy(whole, set, precision);
      run(world, c);
      c.output.directory = whole / "parts";
      c.steps = 25;  // beyond the remaining checkpoints
      run(world, c);
      on_root(world, [&] {
        std::ofstream(c.output.directory / "monitors.csv", std::ios::app) << "25,0.";
        fs::create_directories(whole / "alone");
        fs::copy(c.output.directory / before, whole / "alone" / before);
      });
      c.steps = 34;
      const auto result = run(world, c, fs::path());
      EXPECT_EQ(result.from_step, 20);
      EXPECT_EQ(result.steps, 34);
      for (const auto* name : {end.c_str(), "monitors.csv", "particles.csv", "fields.vtkhdf.series"})
        EXPECT_TRUE(content(c.output.directory / name) == content(whole / name)) << name;
      if (world.rank() == 0) {
        mpi::Communicator self(MPI_COMM_SELF);
        c.output.directory = whole / "alone";
        run(self, c, whole / "alone" / before);
        EXPECT_TRUE(content(whole / "alone" / end) == content(whole / end));
        EXPECT_FALSE(content(whole / end).empty());
      }
      barrier(world);
    }
}

TEST(BoxCheckpoint, what_is_damaged_or_of_another_case_is_passed_over) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = busy(scratch.path, VelocitySet::d2q9, Precision::fp64);
  run(world, c);
  const auto message = [&](const Case& other, const fs::path& from) -> std::string {
    try {
      run(world, other, from);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  auto other = c;
  other.fluid.tau = 0.7;
  EXPECT_THAT(message(other, scratch.path / end), HasSubstr("to another case (it has 'lattice.tau = 0.62'"));
  other = c;
  other.steps = 12;
  EXPECT_THAT(message(other, {}), HasSubstr("Give a larger number of steps"));
  EXPECT_THAT(message(c, scratch.path / "none.weft"), HasSubstr("none.weft is not a usable checkpoint (No such file"));

  // After damage of one bit in a site, then in the header, the checkpoint before is used.
  const auto size = static_cast<std::streamoff>(content(scratch.path / end).size());
  barrier(world);
  for (const std::streamoff at : {size - 1000, std::streamoff{40}}) {
    on_root(world, [&] {
      std::fstream file(scratch.path / end, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(at);
      const auto byte = static_cast<char>(file.get() ^ 4);
      file.seekp(at).put(byte);
    });
    EXPECT_THAT(message(c, scratch.path / end), HasSubstr("is not a usable checkpoint (the checksum of its "));
    auto again = c;
    again.output.directory = scratch.path / "again";
    EXPECT_EQ(run(world, again, scratch.path).from_step, 30);
  }
}

}  // namespace
}  // namespace weft
