// SPDX-License-Identifier: BSD-3-Clause
#include "bench/robustness/robustness.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/robustness/beat_balance.hpp"
#include "bench/robustness/vessel_case.hpp"
#include "bench/robustness/vessel_trial.hpp"
#include "phantom/random_vessel.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

std::filesystem::path scratch(mpi::Communicator& world, const std::string& name) {
  const auto own = broadcast(world, std::to_string(getpid()));  // the same tests may run beside these
  return std::filesystem::temp_directory_path() / ("weft-robustness-test." + own) / name;
}

flow::MonitorRow row(std::int64_t step, double mass, double in, double out) {
  flow::MonitorRow r;
  r.step = step;
  r.mass = mass;
  r.flow = {in, -out};
  r.pressure = {0, 0};
  return r;
}

// Removes what the tests wrote, when all are done.
class Clean : public testing::Environment {
 public:
  void TearDown() override {
    mpi::Communicator world(MPI_COMM_WORLD);
    const auto folder = scratch(world, "any").parent_path();
    on_root(world, [&] { std::filesystem::remove_all(folder); });
  }
};
const auto* const clean = testing::AddGlobalTestEnvironment(new Clean);

TEST(BeatBalance, closes_where_mass_is_kept) {
  flow::Case c;
  c.openings.resize(2);
  c.openings[0].disc.radius = 1;
  c.openings[1].disc.kind = geometry::Opening::Kind::outlet;
  c.openings[0].value.points = {{0.0, 0.0}, {0.5, 1.0}};
  c.openings[0].value.period = 1;
  flow::Scaling s;
  s.dt = 0.125;
  s.density = 2;
  BeatBalance balance(c, s);
  double mass = 10;
  balance.add(row(0, mass, 0, 0));
  for (std::int64_t step = 1; step < 21; ++step) {  // two and a half beats; a row tells what the step before it moved
    const double in = 3 + static_cast<double>((step - 1) % 8), out = 4;
    mass += s.density * s.dt * (in - out - 0.1);  // a little is lost
    balance.add(row(step, mass, in, out));
  }
  const auto beats = balance.beats();
  ASSERT_EQ(beats.size(), 2U);
  EXPECT_NEAR(beats[0].inflow, 6.5, 1e-12);
  EXPECT_NEAR(beats[0].outflow, 4, 1e-12);
  EXPECT_NEAR(beats[1].stored, 2.4, 1e-12);
  EXPECT_NEAR(beats[1].mass_error(), 0.1 / 6.5, 1e-12);
}

TEST(VesselTrial, runs_a_vessel_and_keeps_its_mass) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto folder = scratch(world, "runs");
  on_root(world, [&] { write_vessel(phantom::make_random_vessel(5), folder, {.beats = 0.3, .coarsen = 2}); });
  const auto trial = try_vessel(world, folder / "case.toml", folder / "out", 1e9);
  ASSERT_EQ(trial.end, VesselTrial::End::ran) << trial.why;
  ASSERT_EQ(trial.beats.size(), 1U);  // on every rank
  EXPECT_GT(trial.beats[0].throughput, 0);
  EXPECT_LT(trial.beats[0].mass_error(), 1e-6);
  EXPECT_LT(trial.beats[0].delivered_flow_error(), 1e-6);
}

TEST(VesselTrial, follows_what_the_check_suggests_or_says_why_not) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto folder = scratch(world, "refused");
  on_root(world, [&] {
    const auto file = write_vessel(phantom::make_random_vessel(5), folder, {.beats = 0.3, .coarsen = 2});
    std::ofstream(file, std::ios::app) << "\n[lattice]\ntime_step = 0.1\n";  // far too fast for the lattice
  });
  const auto dear = try_vessel(world, folder / "case.toml", folder / "out", 1);
  EXPECT_EQ(dear.end, VesselTrial::End::refused);
  EXPECT_FALSE(dear.changes.empty()) << dear.why;
  EXPECT_FALSE(std::filesystem::exists(folder / "out")) << "nothing is written by what never starts";
}

TEST(VesselTrial, a_missing_surface_is_a_refusal_on_every_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto folder = scratch(world, "missing");
  on_root(world, [&] {
    write_vessel(phantom::make_random_vessel(5), folder, {.beats = 0.1, .coarsen = 2});
    std::filesystem::remove(folder / "vessel.stl");
  });
  const auto trial = try_vessel(world, folder / "case.toml", folder / "out", 1e9);
  EXPECT_EQ(trial.end, VesselTrial::End::refused);
  EXPECT_NE(trial.why.find("vessel.stl"), std::string::npos) << trial.why;
}

TEST(Robustness, tells_its_figures) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto folder = scratch(world, "figures");
  RobustnessOptions options;
  options.quick = true;
  options.vessels = 2;
  options.seed = 5;
  options.beats = 0.05;
  options.updates = 1e7;
  options.json = folder / "robustness.json";
  options.out = folder / "kept";
  robustness(world, options);
  on_root(world, [&] {
    const auto report = nlohmann::json::parse(std::ifstream(options.json));
    EXPECT_EQ(report["figures"]["stable_share"], 1.0);
    EXPECT_LT(report["figures"]["mass_error"], 0.05);
    EXPECT_LT(report["figures"]["delivered_flow_error"], 0.05);
    EXPECT_EQ(report["notes"].size(), 2U);
    EXPECT_TRUE(std::filesystem::exists(options.out / "random-5" / "case.toml"));
  });
}

}  // namespace
}  // namespace weft::bench
