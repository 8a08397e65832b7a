// SPDX-License-Identifier: BSD-3-Clause
//
// Runs whose outlets depend on the flow restart from checkpoints, and steering commands are replayed, bitwise
// identical.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "flow/run/simulation.hpp"
#include "tests/support/flow_checkpoints.hpp"
#include "tests/support/flow_outlets.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using test::content;

Case following(const fs::path& directory, std::int64_t steps) {
  auto c = Fork().make();
  c.openings[0].value.cosine = Cosine{.mean = 0.1, .amplitude = -0.1, .period = 6};
  c.openings[0].value.points.clear();
  const double z = impedance_of(c, 1), dt = *c.lattice.time_step;
  Fork::follow_windkessel(c.openings[1], {.resistance = 9 * z, .capacitance = 30 * dt / z, .proximal = 2 * z});
  Fork::follow_share(c.openings[2], 0.4);
  c.run.steps = steps;
  c.monitor.every = 3;
  c.output.directory = directory;
  c.output.every_steps = 8;
  c.checkpoint.every_steps = 10;
  return c;
}

void run_following(mpi::Communicator& world, const Case& c, const RunOptions& options) {
  const auto vessel = Fork::vessel(c, world.rank(), world.size(), test::deal_scattered);
  const auto result = run(world, c, vessel, options);
  EXPECT_EQ(result.steps, *c.run.steps);
}
void run_following(mpi::Communicator& world, const Case& c, std::optional<fs::path> restart = {}) {
  run_following(world, c, {.settings = {.quiet = true, .restart = std::move(restart)}});
}

std::string sites_of(const fs::path& file) {
  const auto text = content(file);
  return text.substr(header_bytes(text));
}

/// The same, driven by a pressure, with so low a viscosity that the cell Reynolds number is high.
Case driven(const fs::path& directory, std::int64_t steps) {
  auto c = following(directory, steps);
  const auto thin = Fork{.tau = 0.51}.make();
  c.lattice.time_step = thin.lattice.time_step;
  c.openings[0].kind = lattice::OpeningState::Kind::pressure;
  c.openings[0].value = {.points = {{0, 400}}};
  return c;
}

using MakeCase = Case (*)(const fs::path& directory, std::int64_t steps);
class OutletsRestartOf : public testing::TestWithParam<MakeCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, OutletsRestartOf, testing::Values(following, driven));

TEST_P(OutletsRestartOf, ends_with_the_same_bytes) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  run_following(world, GetParam()(scratch.path / "whole", 57));
  run_following(world, GetParam()(scratch.path / "parts", 34));
  alone(world, [&] { fs::remove(scratch.path / "parts" / "checkpoint_00000034.weft"); });
  run_following(world, GetParam()(scratch.path / "parts", 57), fs::path());
  for (const auto* name : {"monitors.csv", "fields_00000055.vtkhdf", "checkpoint_00000057.weft"})
    EXPECT_TRUE(content(scratch.path / "parts" / name) == content(scratch.path / "whole" / name)) << name;
}

TEST(OutletsRestart, on_any_number_of_ranks) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  run_following(world, following(scratch.path / "all", 20));
  run_following(world, following(scratch.path / "all", 41), fs::path());
  alone(world, [&] {
    mpi::Communicator self(MPI_COMM_SELF);
    run_following(self, following(scratch.path / "one", 41));
    run_following(self, following(scratch.path / "one_from_all", 41), scratch.path / "all/checkpoint_00000040.weft");
    run_following(self, following(scratch.path / "one_of_20", 20));
  });
  run_following(world, following(scratch.path / "all_from_one", 41), scratch.path / "one_of_20");
  alone(world, [&] {
    const auto expected = sites_of(scratch.path / "one/checkpoint_00000041.weft");
    for (const auto* directory : {"all", "one_from_all", "all_from_one"})
      EXPECT_TRUE(sites_of(scratch.path / directory / "checkpoint_00000041.weft") == expected) << directory;
  });
}

TEST(OutletsRestart, what_was_told_holds) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto told = scratch.path / "told.jsonl";
  alone(world, [&] {
    std::ofstream(told) << R"({"step":3,"do":"opening","name":"left","value":0.5,"ramp":10})" << '\n'
                        << R"({"step":5,"do":"opening","name":"right","value":0.1,"ramp":10})" << '\n';
  });
  const auto run_it = [&](const char* name, std::int64_t steps, bool goes_on) {
    const auto c = following(scratch.path / name, steps);
    RunOptions options{.settings = {.quiet = true}, .steering = {.replay = told}};
    if (goes_on) options.settings.restart = c.output.directory;
    run_following(world, c, options);
  };
  run_it("at once", 60, false);
  run_it("in two", 20, false);
  run_it("in two", 60, true);
  run_following(world, following(scratch.path / "untold", 60));
  alone(world, [&] {
    const auto last = sites_of(scratch.path / "at once" / "checkpoint_00000060.weft");
    EXPECT_TRUE(last == sites_of(scratch.path / "in two" / "checkpoint_00000060.weft"));
    EXPECT_FALSE(last == sites_of(scratch.path / "untold" / "checkpoint_00000060.weft"));
  });
}

// A case with another windkessel is another case.
TEST(OutletsRestart, of_another_case_is_refused) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = following(scratch.path, 10);
  run_following(world, c);
  c.run.steps = 20;
  c.openings[1].windkessel.capacitance *= 2;
  EXPECT_THAT(message_of(world, [&] { run_following(world, c, fs::path()); }), testing::HasSubstr("capacitance"));
  c = following(scratch.path, 20);
  c.openings[2].value.points = {{0, 0.5}};
  EXPECT_THAT(message_of(world, [&] { run_following(world, c, fs::path()); }),
              testing::HasSubstr("share of the inflow 0.4"));
}

}  // namespace
}  // namespace weft::flow
