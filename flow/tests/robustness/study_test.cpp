// SPDX-License-Identifier: BSD-3-Clause
#include "robustness/study.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "phantom/made_vessel.hpp"
#include "robustness/trial_balance.hpp"
#include "robustness/vessel_case.hpp"
#include "robustness/vessel_trial.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::robustness {
namespace {

std::filesystem::path scratch(mpi::Communicator& world, const std::string& name) {
  const auto own = broadcast(world, std::to_string(getpid()));  // the same tests may run at the same time
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

// Removes the tests' files after all tests.
class Clean : public testing::Environment {
 public:
  void TearDown() override {
    mpi::Communicator world(MPI_COMM_WORLD);
    const auto folder = scratch(world, "any").parent_path();
    on_root(world, [&] { std::filesystem::remove_all(folder); });
  }
};
const auto* const clean = testing::AddGlobalTestEnvironment(new Clean);

// Two openings with prescribed flows. The second one delivers half of its flow, and a little mass is lost.
TEST(TrialBalance, counts_what_is_lost_and_what_is_not_delivered) {
  flow::Case c;
  c.run.steps = 100;
  c.openings.resize(2);
  for (auto& opening : c.openings) opening.disc.radius = 1;
  c.openings[0].kind = lattice::OpeningState::Kind::velocity;
  c.openings[0].value.points = {{0.0, 2.0}};
  c.openings[1].disc.kind = geometry::Opening::Kind::outlet;
  c.openings[1].kind = lattice::OpeningState::Kind::velocity;
  c.openings[1].rule = flow::OpeningCase::Rule::share;
  c.openings[1].value.points = {{0.0, 0.5}};
  flow::Scaling s;
  s.dt = 0.125;
  s.dx = 1;
  s.density = 2;
  TrialBalance balance(c, s);
  const double in = 2 * c.openings[0].area(), out = in / 4, lost = 0.1;
  double mass = 10;
  balance.add(row(0, mass, 0, 0));
  for (std::int64_t step = 1; step < 100; ++step) {  // each row has the flow of the step before it
    mass += s.density * s.dt * (in - out - lost);
    balance.add(row(step, mass, in, out));
  }
  const double through = (in + out) / 2;
  EXPECT_NEAR(balance.mass_error(), lost / through, 1e-9);
  EXPECT_NEAR(balance.flow_error(), (in / 2 - out) / through, 1e-9);
  EXPECT_EQ(balance.pressure_error(), 0);
}

const std::vector<std::string> each_step = {"monitor.every=1"};

TEST(VesselTrial, runs_a_vessel_and_keeps_its_mass) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto folder = scratch(world, "runs");
  on_root(world, [&] { write_vessel(phantom::make_random_vessel(5), folder, {.beats = 0.3, .coarsen = 2}); });
  const auto trial = try_vessel(world, folder / "case.toml", each_step, folder / "out", 1e9);
  ASSERT_EQ(trial.end, VesselTrial::End::ran) << trial.why;
  EXPECT_GT(trial.cell_reynolds, 0);
  EXPECT_LT(trial.mass_error, 1e-6);  // on every rank
  EXPECT_LT(trial.flow_error, 1e-6);
}

TEST(VesselTrial, leaves_out_what_is_dear) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto folder = scratch(world, "dear");
  on_root(world, [&] { write_vessel(phantom::make_random_vessel(5), folder, {.beats = 0.3, .coarsen = 2}); });
  const auto dear = try_vessel(world, folder / "case.toml", each_step, folder / "out", 1);
  EXPECT_EQ(dear.end, VesselTrial::End::left_out);
  EXPECT_FALSE(std::filesystem::exists(folder / "out")) << "nothing is written by what never starts";
}

// Beyond the refusal's bound the run becomes unstable; with the advised change it is stable.
TEST(VesselTrial, a_refusal_is_tried) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto folder = scratch(world, "refused");
  on_root(world, [&] { write_vessel(phantom::make_random_vessel(5), folder, {.beats = 0.1, .coarsen = 2}); });
  const auto trial =
      try_vessel(world, folder / "case.toml", {"monitor.every=1", "output.summary=false", "lattice.time_step=0.001"},
                 folder / "out", 1e8);
  ASSERT_EQ(trial.end, VesselTrial::End::refused) << trial.why;
  EXPECT_EQ(trial.runs_all_the_same, false);
  ASSERT_TRUE(trial.change) << trial.why;
  EXPECT_NE(trial.change->find("lattice.time_step="), std::string::npos) << *trial.change;
  EXPECT_EQ(trial.change_helps, true);
}

TEST(VesselTrial, a_missing_surface_is_a_refusal_on_every_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto folder = scratch(world, "missing");
  on_root(world, [&] {
    write_vessel(phantom::make_random_vessel(5), folder, {.beats = 0.1, .coarsen = 2});
    std::filesystem::remove(folder / "vessel.stl");
  });
  const auto trial = try_vessel(world, folder / "case.toml", {}, folder / "out", 1e9);
  EXPECT_EQ(trial.end, VesselTrial::End::refused);
  EXPECT_NE(trial.why.find("vessel.stl"), std::string::npos) << trial.why;
}

TEST(Robustness, reports_its_figures) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto folder = scratch(world, "figures");
  on_root(world, [&] { std::filesystem::create_directories(folder); });
  StudyOptions options;
  options.vessels = 1;
  options.seed = 5;
  options.modes = {"steady_murray", "pulse_flows"};
  options.every_mode = true;
  options.updates = 3e7;
  options.out = folder / "kept";
  const auto result = run_study(world, options);
  std::map<std::string, double> figures(result.figures.begin(), result.figures.end());
  EXPECT_EQ(figures.at("stable_share"), 1.0);
  EXPECT_EQ(figures.at("refused_share"), 0.0);
  EXPECT_LT(figures.at("mass_error"), 1e-6);
  EXPECT_LT(figures.at("delivered_flow_error"), 0.05);
  on_root(world, [&] {
    EXPECT_TRUE(std::filesystem::exists(options.out / "random-5" / "pulse_flows.toml"));
    std::string line;
    std::ifstream csv(options.out / "trials.csv");
    int rows = 0;
    while (std::getline(csv, line)) ++rows;
    EXPECT_EQ(rows, 3);
  });
}

}  // namespace
}  // namespace weft::robustness
