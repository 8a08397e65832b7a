// SPDX-License-Identifier: BSD-3-Clause
//
// Commands over MPI, with all outputs of a run; the commands are replayed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "flow/run/simulation.hpp"
#include "flow/steering/command_json.hpp"
#include "tests/support/flow_run.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

std::string said(std::int64_t when) {
  if (when == 3) return R"({"do":"opening","name":"inlet","value":0.08})";
  if (when == 5) return R"({"do":"pause"})";
  if (when == -2) return R"({"do":"output"})";
  if (when == -3) return R"({"do":"step"})";
  if (when == -4) return R"({"do":"resume"})";
  return when == 15 ? R"({"do":"stop"})" : "";
}

TubeCase driven_tube() {
  TubeCase tube;
  tube.length = 16;
  tube.inlet.value.points = {{0, 0.05}};
  tube.outlet.value.points = {{0, 0}};
  return tube;
}

TEST(Live, what_was_told_is_told_again) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto tube = driven_tube();
  auto c = tube.make();
  c.run.steps = 40;
  const auto vessel = make_vessel(world, c, tube.surface());
  const auto limits = make_limits(c, vessel.scaling, vessel.domain.grid.extent);
  Inbox inbox;
  const auto say = [&](std::int64_t when) {
    if (const auto text = said(when); world.rank() == 0 && !text.empty()) inbox.push(parse_command(text, limits));
  };
  RunOptions options{.settings = {.quiet = true}, .steering = {.live = true, .inbox = &inbox}};
  options.hooks.after_step = say;
  options.hooks.idle = [&, times = std::int64_t{0}]() mutable { say(-++times); };
  c.output.directory = scratch.path / "live";
  const auto live = run(world, c, vessel, options);
  EXPECT_TRUE(live.stopped);
  EXPECT_EQ(live.steps, 18);

  c.output.directory = scratch.path / "again";
  const auto again =
      run(world, c, vessel,
          {.settings = {.quiet = true}, .steering = {.replay = scratch.path / "live" / "steering.jsonl"}});
  EXPECT_EQ(again.steps, live.steps);
  if (world.rank() != 0) return;
  // Sums over all ranks, with all digits. (The files of the fields contain their time of creation.)
  const auto rows = test::content(scratch.path / "live" / "monitors.csv");
  EXPECT_GT(std::count(rows.begin(), rows.end(), '\n'), 10);
  EXPECT_TRUE(rows == test::content(scratch.path / "again" / "monitors.csv"));
  for (const auto* name : {"fields_00000007.vtkhdf", "fields_00000017.vtkhdf"}) {
    EXPECT_TRUE(std::filesystem::exists(scratch.path / "live" / name)) << name;
    EXPECT_TRUE(std::filesystem::exists(scratch.path / "again" / name)) << name;
  }
}

// A checkpoint contains the changes, also in the middle of a ramp.
TEST(Live, what_was_told_holds_after_a_restart) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto tube = driven_tube();
  auto c = tube.make();
  c.run.steps = 60;
  const auto vessel = make_vessel(world, c, tube.surface());
  const auto told = scratch.path / "told.jsonl";
  if (world.rank() == 0)
    std::ofstream(told) << R"({"step":3,"do":"opening","name":"inlet","value":0.08,"ramp":4})" << '\n'
                        << R"({"step":40,"do":"viscosity","value":1.2})" << '\n';
  weft::barrier(world);
  const auto run_it = [&](const char* name, std::int64_t steps, bool goes_on) {
    c.output.directory = scratch.path / name;
    c.run.steps = steps;
    c.checkpoint.every_steps = c.output.every_steps = 10;  // fields are written in the same steps
    RunOptions options{.settings = {.quiet = true}, .steering = {.replay = told}};
    if (goes_on) options.settings.restart = c.output.directory;
    run(world, c, vessel, options);
  };
  run_it("at once", 60, false);
  run_it("in two", 10, false);
  run_it("in two", 60, true);
  if (world.rank() != 0) return;
  const auto rows = test::content(scratch.path / "at once" / "monitors.csv");
  EXPECT_GT(std::count(rows.begin(), rows.end(), '\n'), 50);
  EXPECT_TRUE(rows == test::content(scratch.path / "in two" / "monitors.csv"));
}

}  // namespace
}  // namespace weft::flow
