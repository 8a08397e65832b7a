// SPDX-License-Identifier: BSD-3-Clause
#include "wave/run.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "programs/tests/wave/wave_run.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using Kind = ProgressOptions::Kind;

TEST(WaveRun, ranks_of_mpi_give_the_bits_of_one_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto c = busy_case();
  const auto one = end_of(1, c, 4, 2);
  EXPECT_GT(one.regrids, 0);
  expect_same(end_on(world, c, 4, 2), one, "per_peer polling");
  expect_same(end_on(world, c, 4, 2, {.messages = {.grouping = Grouping::per_part}}, {.kind = Kind::thread}), one,
              "per_part thread");
  expect_same(
      end_on(world, c, 4, 2, {.messages = {.grouping = Grouping::by_size}}, {.kind = Kind::send_receive_threads}), one,
      "by_size");
}

TEST(WaveRun, writes_the_same_readings_on_any_ranks) {
  mpi::Communicator world(MPI_COMM_WORLD);
  auto c = busy_case();
  c.steps = 4;
  const test::SharedScratch scratch(world);
  c.output.directory = scratch.path;
  const auto result = wave::run(world, c, {.settings = {.quiet = true}});
  EXPECT_EQ(result.steps, 4);
  EXPECT_GT(result.cell_updates, 4 * 27 * 512);
  EXPECT_EQ(result.overlap.steps, 4);
  ASSERT_EQ(result.overlap.clients.size(), 4U);
  EXPECT_EQ(result.overlap.clients[0].name, "cells");
  EXPECT_GT(result.overlap.clients[0].compute, 0);
  if (world.rank() == 0) {
    std::ifstream csv(c.output.directory / "monitors.csv");
    std::string line;
    int lines = 0;
    while (std::getline(csv, line)) ++lines;
    EXPECT_EQ(lines, 6);  // the names, the start and four steps
  }
}

// Run::read() ends the run then.
TEST(WaveRun, a_nan_of_any_rank_is_in_the_reading_of_all) {
  mpi::Communicator world(MPI_COMM_WORLD);
  auto c = make_case(2);
  c.error = false;
  for (int who = 0; who < world.size(); ++who) {
    wave::Simulation s(world, c, ExchangeOptions{});
    if (world.rank() == who)
      s.hierarchy().local(0)[0].cell(wave::u, 0, 0, 0) = std::numeric_limits<double>::quiet_NaN();
    const auto reading = s.read();
    EXPECT_TRUE(std::isnan(reading.energy)) << who;
    EXPECT_TRUE(std::isnan(reading.largest)) << who;
  }
}

}  // namespace
}  // namespace weft
