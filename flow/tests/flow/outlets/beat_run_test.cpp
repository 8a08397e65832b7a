// SPDX-License-Identifier: BSD-3-Clause
//
// Runs that end when beats agree, with tuned outlets or with outlets that compartments connect: uninterrupted, in
// parts, and on any number of ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "flow/run/simulation.hpp"
#include "tests/support/flow_checkpoints.hpp"
#include "tests/support/flow_outlets.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using test::content;

Case in(Case c, const fs::path& directory, std::int64_t steps) {
  c.run.steps = steps;
  c.monitor.every = 3;
  c.output.directory = directory;
  c.checkpoint.every_steps = 90;
  return c;
}
Case tuned(const fs::path& directory, std::int64_t steps) {
  auto c = in(beating_fork(60), directory, steps);
  c.run.ramp = 20 * *c.lattice.time_step;
  return c;
}
Case pumped(const fs::path& directory, std::int64_t steps) { return in(pumped_fork(), directory, steps); }

RunResult run_it(mpi::Communicator& world, const Case& c, std::optional<fs::path> restart = {}) {
  const auto vessel = Fork::vessel(c, world.rank(), world.size(), test::deal_scattered);
  return run(world, c, vessel, {.settings = {.quiet = true, .restart = std::move(restart)}});
}

void expect_same_in_parts(Case (*make)(const fs::path&, std::int64_t), const std::vector<std::string>& names) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto whole = run_it(world, make(scratch.path / "whole", 250));
  run_it(world, make(scratch.path / "parts", 137));
  // it observed step 137 as its last step
  alone(world, [&] { fs::remove(scratch.path / "parts" / "checkpoint_00000137.weft"); });
  const auto parts = run_it(world, make(scratch.path / "parts", 250), fs::path());
  EXPECT_EQ(whole.outlets.json, parts.outlets.json);
  for (const auto& name : names)
    EXPECT_TRUE(content(scratch.path / "parts" / name) == content(scratch.path / "whole" / name)) << name;
  alone(world, [&] {
    mpi::Communicator self(MPI_COMM_SELF);
    const auto one = run_it(self, make(scratch.path / "one", 250));
    EXPECT_EQ(one.outlets.json, whole.outlets.json);
    const auto sites = [](const fs::path& file) {
      const auto text = content(file);
      return text.substr(header_bytes(text));
    };
    EXPECT_TRUE(sites(scratch.path / "one/checkpoint_00000250.weft") ==
                sites(scratch.path / "whole/checkpoint_00000250.weft"));
  });
}

TEST(BeatRun, tuned_outlets_go_on_with_the_same_bytes) {
  expect_same_in_parts(tuned, {"monitors.csv", "checkpoint_00000250.weft"});
}

TEST(BeatRun, compartments_go_on_with_the_same_bytes) {
  expect_same_in_parts(pumped, {"monitors.csv", "circulation.csv", "circulation.json", "checkpoint_00000250.weft"});
}

// A cosine of 60 steps in a fork whose transients decay within some hundred steps.
Case beating(const fs::path& directory, std::int64_t steps) {
  auto c = in(Fork{.speed = 0.004}.make(), directory, steps);
  const double mean = c.openings[0].value.at(0), z = impedance_of(c, 1);
  c.openings[0].value.points.clear();
  c.openings[0].value.cosine = Cosine{.mean = mean, .amplitude = 0.5 * mean, .period = 60.3 * *c.lattice.time_step};
  Fork::follow_windkessel(c.openings[1], {.resistance = z});
  c.run.until_periodic = true;
  c.run.tolerance = 2e-3;
  return c;
}

TEST(BeatRun, ends_when_two_beats_agree) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto result = run_it(world, beating(scratch.path / "whole", 5000));
  EXPECT_TRUE(result.outlets.periodic);
  EXPECT_LT(result.steps, 3000);
  const auto told = nlohmann::json::parse(result.outlets.json);
  const auto& beats = told.at("beats");
  ASSERT_GE(beats.size(), 2U);
  EXPECT_LE(beats.back().at("difference").get<double>(), 2e-3);
  for (std::size_t k = 0; k + 1 < beats.size(); ++k) EXPECT_GT(beats[k].at("difference").get<double>(), 2e-3);
  EXPECT_NEAR(static_cast<double>(result.steps), 60.3 * static_cast<double>(beats.size() + 1), 5);
  EXPECT_THAT(result.outlets.text, testing::HasSubstr("periodic: the last two of"));
  run_it(world, beating(scratch.path / "parts", 100));
  const auto parts = run_it(world, beating(scratch.path / "parts", 5000), fs::path());
  EXPECT_EQ(parts.steps, result.steps);
  EXPECT_EQ(parts.outlets.json, result.outlets.json);
  const auto again = run_it(world, beating(scratch.path / "parts", 5000), fs::path());  // the run is complete
  EXPECT_EQ(again.steps, result.steps);
  alone(world, [&] {
    mpi::Communicator self(MPI_COMM_SELF);
    EXPECT_EQ(run_it(self, beating(scratch.path / "one", 5000)).steps, result.steps);
  });
  auto strict = beating(scratch.path / "strict", 200);
  strict.run.tolerance = 1e-12;
  const auto not_yet = run_it(world, strict);
  EXPECT_FALSE(not_yet.outlets.periodic);
  EXPECT_EQ(not_yet.steps, 200);
  EXPECT_THAT(not_yet.outlets.text, testing::HasSubstr("not periodic within the run's duration"));
}

}  // namespace
}  // namespace weft::flow
