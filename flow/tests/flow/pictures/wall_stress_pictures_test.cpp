// SPDX-License-Identifier: BSD-3-Clause
//
// The wall shear stress in pictures and in the summary's maps is that of the extracts: the upper end of the colour
// range follows from the values at all sites.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flow/run/simulation.hpp"
#include "flow/steering/command_json.hpp"
#include "tests/support/csv_table.hpp"
#include "tests/support/flow_checkpoints.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t steps = 47;

Case tube(const fs::path& directory, lattice::Wall wall) {
  auto c = short_tube().make();
  c.run.steps = steps;
  c.lattice.wall = wall;
  c.monitor.convergence = false;  // so that a picture can be of any step
  c.output.directory = directory;
  c.pictures.scene.quantity = insitu::Quantity::wall_shear_stress;
  c.pictures.scene.wall = insitu::Wall::solid;
  c.pictures.scene.width = c.pictures.scene.height = 64;
  c.pictures.making.share = 1e9;
  return c;
}

RunResult run_it(mpi::Communicator& world, const Case& c, RunOptions options = {}) {
  options.settings.quiet = true;
  return run(world, c, make_vessel(world, c, short_tube().surface()), options);
}

/// By step: the upper end of the colour range, computed from an extract's values by one rank.
std::map<std::int64_t, double> tops_of(Case c) {
  mpi::Communicator self(MPI_COMM_SELF);
  ExtractCase wall;
  wall.every_steps = 1;
  wall.name = "wall";
  wall.shape = ExtractCase::Shape::surface;
  wall.format = ExtractCase::Format::csv;
  wall.quantities = {FieldQuantity::wall_shear_stress_magnitude};
  c.extracts = {wall};
  c.output.summary = false;
  run_it(self, c);
  struct Sums {
    double count = 0, sum = 0, squares = 0, largest = 0;
  };
  std::map<std::int64_t, Sums> sums;
  for (const auto& row : test::read_csv(c.output.directory / "wall.csv")) {
    auto& s = sums[std::int64_t(row["step"])];
    const double value = row["wall_shear_stress_magnitude_pa"];
    ++s.count, s.sum += value, s.squares += value * value, s.largest = std::max(s.largest, value);
  }
  std::map<std::int64_t, double> tops;
  for (const auto& [step, s] : sums) {
    const double mean = s.sum / s.count;
    tops[step] = std::min(s.largest, mean + 3 * std::sqrt(s.squares / s.count - mean * mean));
  }
  return tops;
}

/// The picture that a viewer sees, on rank 0.
struct Seen {
  insitu::Quantity quantity;
  std::int64_t step;
  double top;
};

/// A viewer that requests this scene, with its current content.
Onlooker onlooker(const insitu::Scene& scene, std::vector<Seen>& seen) {
  return {.live = true,
          .wanted = [&scene]() -> std::optional<insitu::Scene> { return scene; },
          .show = [&seen](insitu::Image, const insitu::Rendered& of) {  // called in one thread, until the run ends
            seen.push_back({of.scene.quantity, of.step, double(of.range.high)});
          }};
}

TEST(WallStressPictures, show_what_extracts_have) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  for (const auto wall : {lattice::Wall::bouzidi, lattice::Wall::half_way}) {
    auto c = tube(scratch.path / "pictures", wall);
    c.output.summary = true;
    std::vector<Seen> seen;
    const auto result = run_it(world, c, {.onlooker = onlooker(c.pictures.scene, seen)});
    alone(world, [&] {
      const auto known = tube(scratch.path / "known", wall);
      const auto tops = tops_of(known);
      ASSERT_EQ(tops.size(), std::size_t(steps));
      EXPECT_GE(seen.size(), 1U);  // as many as the time allows
      for (const auto& picture : seen)
        EXPECT_NEAR(picture.top, tops.at(picture.step), 1e-5 * picture.top) << picture.step;
      ASSERT_EQ(result.wall_maps.size(), 2U);
      EXPECT_EQ(result.wall_maps[0].what, WallMap::What::shear_stress);
      EXPECT_NEAR(result.wall_maps[0].high, tops.at(steps - 1), 1e-5 * tops.at(steps - 1));
    });
  }
}

// A step whose file is due counts for the monitors, whatever quantity the file has.
TEST(WallStressPictures, files_change_no_result_and_end_with_the_last_step) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto run_to = [&](const char* name, insitu::Quantity quantity, bool goes_on = false) {
    auto c = tube(scratch.path / name, lattice::Wall::bouzidi);
    c.monitor.convergence = true;
    c.pictures.every_steps = 20;
    c.pictures.scene.quantity = quantity;
    c.checkpoint.every_steps = 20;
    RunOptions options;
    if (goes_on) options.settings.restart = fs::path();  // the newest checkpoint
    return run_it(world, c, options);
  };
  const auto with = run_to("with", insitu::Quantity::wall_shear_stress);
  const auto without = run_to("without", insitu::Quantity::speed);
  EXPECT_EQ(with.steps, without.steps);
  alone(world, [&] {
    EXPECT_TRUE(test::content(scratch.path / "with/monitors.csv") ==
                test::content(scratch.path / "without/monitors.csv"));
    for (const auto* name : {"00000019.png", "00000039.png", "00000046.png"})
      EXPECT_TRUE(fs::exists(scratch.path / "with/pictures" / name)) << name;
  });
  // A restart without steps has no stress.
  const auto last = scratch.path / "with/pictures/00000046.png";
  const auto drawn = test::content(last);
  run_to("with", insitu::Quantity::wall_shear_stress, true);
  alone(world, [&] { EXPECT_TRUE(test::content(last) == drawn); });
}

TEST(WallStressPictures, of_a_pause_are_of_the_stress_that_is_known_or_of_velocities) {
  using enum insitu::Quantity;
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = tube(scratch.path / "live", lattice::Wall::bouzidi);
  c.output.every_steps = 3;  // so that some steps store velocities
  const auto vessel = make_vessel(world, c, short_tube().surface());
  const auto limits = make_limits(c, vessel.scaling, vessel.domain.grid.extent);
  Inbox inbox;
  const auto say = [&](const char* text) {
    if (world.rank() == 0) inbox.push(parse_command(text, limits));
  };
  auto scene = c.pictures.scene;
  scene.quantity = speed;
  std::vector<Seen> seen;
  RunOptions options{
      .settings = {.quiet = true}, .steering = {.live = true, .inbox = &inbox}, .onlooker = onlooker(scene, seen)};
  std::vector<std::int64_t> pauses;  // the first steps after the pauses
  options.hooks.on_command = [&](const Command& command, std::int64_t step) {
    if (command.kind != Command::Kind::pause) return;
    pauses.push_back(step);
    scene.quantity = wall_shear_stress;
  };
  options.hooks.after_step = [&](std::int64_t step) {
    if (step == 4 || step == 18 || step == 35) say(R"({"do":"pause"})");
    if (step == 25) scene.quantity = speed;
  };
  options.hooks.idle = [&, times = 0]() mutable {
    if (++times % 4 == 0) say(R"({"do":"resume"})");
  };
  EXPECT_EQ(run(world, c, vessel, options).steps, steps);
  alone(world, [&] {
    const auto tops = tops_of(tube(scratch.path / "known", lattice::Wall::bouzidi));
    ASSERT_EQ(pauses.size(), 3U);
    std::array<int, 3> of_velocities{};  // number of pictures made from velocities, by interval between pauses
    std::int64_t latest = -1;            // last step before the third pause with a picture of the stress
    for (const auto& picture : seen) {
      if (picture.quantity == speed) continue;
      const double ratio = picture.top / tops.at(picture.step);
      EXPECT_GT(ratio, 0.5) << picture.step;
      EXPECT_LT(ratio, 3) << picture.step;  // the estimate from velocities at the few sites nearest to the wall
      const bool is_fitted = std::abs(ratio - 1) < 1e-5;
      const auto k = picture.step < pauses[0] ? 0U : picture.step < pauses[1] ? 1U : 2U;
      of_velocities[k] += is_fitted ? 0 : 1;
      if (picture.step < pauses[2]) latest = picture.step;
    }
    EXPECT_GT(of_velocities[0], 0);  // before the first pause there was no fitted stress
    EXPECT_EQ(of_velocities[1], 0);  // the stress of the last picture is available in the second pause
    EXPECT_GT(of_velocities[2], 0);  // the last picture was of the speed
    EXPECT_GT(latest, 25);
  });
}

}  // namespace
}  // namespace weft::flow
