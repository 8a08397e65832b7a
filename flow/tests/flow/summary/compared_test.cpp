// SPDX-License-Identifier: BSD-3-Clause
//
// The values that a convergence study reads from a run's files: the same on any number of ranks, and means over the
// last beat.
#include "flow/summary/grids.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "flow/summary/convergence_table.hpp"
#include "program/series.hpp"
#include "tests/support/csv_table.hpp"
#include "tests/support/flow_checkpoints.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;

Case tube(const fs::path& directory, std::int64_t steps) {
  auto c = short_tube().make();
  c.run.steps = steps;
  c.lattice.wall = lattice::Wall::bouzidi;
  c.output.directory = directory;
  for (const double at : {5.0, 9.0}) {
    const auto axis = geometry::normalised(short_tube().axis);
    c.sections.push_back({at < 6 ? "near" : "far", geometry::operator*(at, axis), axis, 8});
  }
  return c;
}

// 60 steps of 0.1 s.
Case beating(const fs::path& directory, std::int64_t steps) {
  auto c = tube(directory, steps);
  c.openings[0].value.points = {{0, 0.05}, {2.5, 0.15}};
  c.openings[0].value.period = 6;
  return c;
}

std::map<std::string, double> compare(mpi::Communicator& world, Case c) {
  c = finest_case(c, {});
  const auto vessel = make_vessel(world, c, short_tube().surface());
  const auto result = flow::run(world, c, vessel, {.settings = {.quiet = true}});
  std::map<std::string, double> values;
  on_root(world, [&] {
    for (const auto& one : compared_values(c, vessel.scaling, result)) values[one.name] = one.value;
  });
  return values;
}

TEST(Compared, a_steady_flows_values_are_those_of_the_end) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto values = compare(world, tube(scratch.path / "all", 400));
  alone(world, [&] {
    EXPECT_EQ(values.size(), 6U);
    EXPECT_NEAR(values.at("share of 'outlet'"), 100, 2);
    EXPECT_GT(values.at("pressure drop 'inlet' to 'outlet'"), values.at("pressure drop 'near' to 'far'"));
    EXPECT_GT(values.at("pressure drop 'near' to 'far'"), 0);
    EXPECT_GT(values.at("wall shear stress, 99 %"), values.at("wall shear stress, mean"));
    const auto wall = test::read_csv(scratch.path / "all/fine/convergence_wall.csv");
    double sum = 0;
    for (const auto& row : wall) sum += row["wall_shear_stress_magnitude_pa"];
    EXPECT_DOUBLE_EQ(values.at("wall shear stress, mean"), sum / static_cast<double>(wall.size()));

    mpi::Communicator self(MPI_COMM_SELF);
    const auto one = compare(self, tube(scratch.path / "one", 400));
    for (const auto& [name, value] : values)
      if (name.find("wall") == 0 || name.find("'near'") != name.npos)
        EXPECT_EQ(value, one.at(name)) << name;  // bitwise identical
      else
        EXPECT_NEAR(value, one.at(name), 1e-9 * std::abs(value)) << name;
  });
}

// Two ways to the same numbers: if the end is a number of steps, wall shear stress comes from a table of running means;
// if it is a time, from an average that begins with the last beat.
TEST(Compared, a_pulses_values_are_means_over_the_last_beat) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto by_steps = beating(scratch.path / "steps", 170);  // two beats and five sixths
  by_steps.average.every_steps = 5;
  auto by_time = by_steps;
  by_time.output.directory = scratch.path / "time";
  by_time.run.steps.reset();
  by_time.run.duration = 12;
  auto whole = by_steps, whole_by_time = by_time;
  whole.output.directory = scratch.path / "whole";
  whole.run.steps = 180;
  whole_by_time.output.directory = scratch.path / "whole_by_time";
  whole_by_time.run.duration = 18;
  const auto tabled = compare(world, by_steps), second = compare(world, by_time);
  const auto third = compare(world, whole), third_by_time = compare(world, whole_by_time);
  alone(world, [&] {
    double flow = 0, rows = 0;
    for (const auto& row :
         program::rows_before(scratch.path / "steps/fine/monitors", monitor_columns(monitored_names(by_steps)), 1000))
      if (row.step >= 110) flow += row.values[7], ++rows;
    EXPECT_EQ(rows, 60);
    EXPECT_NEAR(tabled.at("inflow"), flow / rows * 6e7, 1e-9 * std::abs(tabled.at("inflow")));
    for (const auto* wall : {"wall shear stress, mean", "wall shear stress, 99 %"}) {
      EXPECT_NEAR(tabled.at(wall), second.at(wall), 1e-9 * second.at(wall));  // the last complete beat
      EXPECT_NEAR(third.at(wall), third_by_time.at(wall), 1e-9 * third.at(wall));
    }
    EXPECT_NE(third.at("wall shear stress, mean"), second.at("wall shear stress, mean"));  // the beats still differ
  });
}

TEST(ConvergenceTable, says_what_was_found_and_leaves_out_what_is_not_known) {
  ConvergenceTable table;
  const auto add = [&](const char* name, double voxel, double drop, double split) {
    ConvergenceTable::Size size;
    size.name = name, size.voxel = voxel;
    size.values = {{"drop", "Pa", drop}, {"split", "%", split}, {"nothing", "Pa", MonitorRow::unknown}};
    table.add(std::move(size));
  };
  add("coarse", 4e-4, 1.16, 50), add("medium", 2e-4, 1.04, 51), add("fine", 1e-4, 1.01, 50);
  table.judge();
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_NEAR(table.rows[0].convergence.apparent_order, 2, 1e-6);
  EXPECT_NEAR(table.rows[0].convergence.extrapolated, 1, 1e-6);
  const auto text = table.text();
  EXPECT_NE(text.find("1.16        1.04        1.01             1    2.00         1.2 %"), text.npos) << text;
  EXPECT_NE(text.find("oscillatory:"), text.npos) << text;
  EXPECT_EQ(text.find("nothing"), text.npos);
  EXPECT_EQ(table.doubt(), "");
  table.sizes[0].steps = 1000, table.sizes[0].relative_change = 1e-3;
  EXPECT_NE(table.text().find("not steady (at the end the velocity changes by 10 %"), text.npos);
  table.is_of_a_beat = true;
  EXPECT_EQ(table.doubt(), "");
}

}  // namespace
}  // namespace weft::flow
