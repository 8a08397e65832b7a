// SPDX-License-Identifier: BSD-3-Clause
//
// Whole runs with extracts, averages and cross-sections.
#include "flow/extracts/extracts.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "flow/run/simulation.hpp"
#include "tests/support/csv_table.hpp"
#include "tests/support/flow_checkpoints.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using enum FieldQuantity;
using testing::HasSubstr;
using Shape = ExtractCase::Shape;
using Format = ExtractCase::Format;

ExtractCase extract(std::string name, Shape shape, std::int64_t every, std::vector<FieldQuantity> quantities) {
  ExtractCase e;
  e.every_steps = every;
  e.name = std::move(name);
  e.shape = shape;
  e.format = Format::csv;
  e.quantities = std::move(quantities);
  return e;
}

RunResult run(mpi::Communicator& world, const Case& c, std::optional<fs::path> restart = {}) {
  return flow::run(world, c, make_vessel(world, c, short_tube().surface()),
                   {.settings = {.quiet = true, .restart = std::move(restart)}});
}

/// A tube along x, shifted by some voxels against the lattice, with extracts of all kinds.
Case watched(const fs::path& directory, std::int64_t steps) {
  auto c = short_tube().make();
  c.run.steps = steps;
  c.lattice.wall = lattice::Wall::bouzidi;
  c.output.directory = directory;
  c.output.quantities = {pressure, velocity, stress, von_mises, shear_rate, viscosity};
  c.average = {};
  c.average.every_steps = 3;
  c.average.start = 10 * 0.1;  // in steps of 0.1 s
  auto plane = extract("plane", Shape::plane, 10, {velocity, pressure});
  plane.at = geometry::operator*(7.0, geometry::normalised(short_tube().axis));
  plane.normal = geometry::normalised(short_tube().axis);
  auto line = extract("line", Shape::line, 5, {velocity});
  line.to = geometry::operator*(14.0, geometry::normalised(short_tube().axis));
  auto point = extract("point", Shape::point, 1, {pressure});
  point.at = plane.at;
  c.extracts = {
      extract("wall", Shape::surface, 3, {wall_shear_stress, mean_wall_shear_stress, oscillatory_shear_index}), plane,
      line, point};
  c.sections = {{"middle", plane.at, plane.normal, 8}};
  return c;
}

TEST(Extracts, tables_are_the_same_bytes_on_any_number_of_ranks_and_after_a_restart) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto c = watched(scratch.path / "all", 40);
  run(world, c);
  auto parts = watched(scratch.path / "parts", 23);
  parts.checkpoint.every_steps = 20;
  alone(world, [&] {
    mpi::Communicator self(MPI_COMM_SELF);
    run(self, watched(scratch.path / "one", 40));
    run(self, parts);
    fs::remove(parts.output.directory / "checkpoint_00000023.weft");
  });
  parts.run.steps = 40;
  run(world, parts, fs::path());  // from step 20, on all ranks
  run(world, parts, fs::path());  // no step is left to run
  alone(world, [&] {
    for (const auto* name : {"wall.csv", "plane.csv", "line.csv", "point.csv"}) {
      const auto expected = test::content(scratch.path / "one" / name);
      EXPECT_GT(expected.size(), 1000U) << name;
      EXPECT_TRUE(test::content(scratch.path / "all" / name) == expected) << name;
      EXPECT_TRUE(test::content(scratch.path / "parts" / name) == expected) << name;
    }
    EXPECT_EQ(test::read_csv(scratch.path / "all/point.csv").size(), 40U);
    double before = -1;
    for (const auto& row : test::read_csv(scratch.path / "all/line.csv")) {
      if (row["step"] > 4) break;
      EXPECT_GE(row["along_m"], before);
      before = row["along_m"];
    }
  });
}

TEST(Extracts, averages_are_those_of_what_was_written) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = watched(scratch.path, 91);
  c.openings[0].value.points = {{0, 0.2}, {0.4, -0.2}, {0.8, 0.2}};  // oscillating
  c.openings[0].value.period = 0.8;
  c.extracts[0].every_steps = 1;
  run(world, c);
  alone(world, [&] {
    struct Sum {
      geometry::Vector vector{};
      double magnitude = 0, samples = 0;
    };
    std::map<geometry::Vector, Sum> sums;
    double largest = 0;
    for (const auto& row : test::read_csv(scratch.path / "wall.csv")) {
      const geometry::Vector drag{row["wall_shear_stress_x_pa"], row["wall_shear_stress_y_pa"],
                                  row["wall_shear_stress_z_pa"]};
      const auto step = std::int64_t(row["step"]);
      auto& sum = sums[{row["x_m"], row["y_m"], row["z_m"]}];
      if (step >= 10 && step % 3 == 0) {
        sum.vector = geometry::operator+(sum.vector, drag);
        sum.magnitude += geometry::length(drag);
        ++sum.samples;
      }
      const double mean = row["mean_wall_shear_stress_pa"], index = row["oscillatory_shear_index"];
      if (sum.samples == 0) {
        EXPECT_TRUE(std::isnan(mean) && std::isnan(index)) << step;
        continue;
      }
      ASSERT_NEAR(mean, sum.magnitude / sum.samples, 1e-9 * mean) << step;
      ASSERT_NEAR(index, 0.5 * (1 - geometry::length(sum.vector) / sum.magnitude), 1e-9) << step;
      if (step == 90) largest = std::max(largest, index);
    }
    EXPECT_EQ(sums.begin()->second.samples, 27);
    EXPECT_GT(largest, 0.2);
  });
}

TEST(Extracts, the_sections_flow_is_the_inlets_and_the_wall_is_dragged_as_fast_as_it_is) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = watched(scratch.path, 1200);
  c.openings[0].value.points = {{0, 0.1}};
  for (auto& e : c.extracts) e.every_steps.reset();
  c.average.every_steps = 40;
  c.average.start = 100;
  const auto result = run(world, c);
  const auto& row = result.last;
  EXPECT_NEAR(row.section_flow.at(0) / row.flow.at(0), 1, 0.02);
  EXPECT_LT(row.section_pressure.at(0), row.pressure.at(0));
  EXPECT_GT(row.section_pressure.at(0), row.pressure.at(1));
  alone(world, [&] {
    const auto a = geometry::normalised(short_tube().axis);
    const double exact = 4 * c.fluid.viscosity * row.flow.at(0) / (std::numbers::pi * std::pow(short_tube().radius, 3));
    double wrong = 0, all = 0;
    for (auto& at : test::read_csv(scratch.path / "wall.csv")) {
      const double along = a[0] * at["x_m"] + a[1] * at["y_m"] + a[2] * at["z_m"];
      if (along < 5 || along > 9) continue;
      const double drag = a[0] * at["wall_shear_stress_x_pa"] + a[1] * at["wall_shear_stress_y_pa"] +
                          a[2] * at["wall_shear_stress_z_pa"];
      wrong += std::pow(drag / exact - 1, 2);
      ++all;
      EXPECT_NEAR(at["mean_wall_shear_stress_pa"], drag, 0.02 * exact);  // the flow is steady
      EXPECT_LT(at["oscillatory_shear_index"], 1e-3);
    }
    EXPECT_GT(all, 50);
    EXPECT_LT(std::sqrt(wrong / all), 0.12);
  });
}

TEST(Extracts, what_meets_no_site_is_one_error_on_every_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = watched(scratch.path / "out", 10);
  c.extracts[3].at = {0, 100, 0};
  EXPECT_THAT(message_of(world, [&] { run(world, c); }),
              HasSubstr("Extract 'point' of shape point meets no site of the vessel"));
  c = watched(scratch.path / "out", 10);
  c.sections[0].centre = {0, 100, 0};
  EXPECT_THAT(message_of(world, [&] { run(world, c); }), HasSubstr("Section 'middle' meets no site of the vessel"));
  EXPECT_FALSE(fs::exists(scratch.path / "out"));
}

// A run that stops when it has converged writes its outputs, also those that need a step that was prepared for them.
TEST(Extracts, a_converged_run_leaves_them) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = watched(scratch.path, 500);
  c.openings[0].value.points = {{0, 0.1}};
  for (auto& e : c.extracts)
    if (e.name != "point") e.every_steps.reset();  // the point is due in every step, but does not suppress the others
  c.monitor.tolerance = 1e-3;
  const auto result = run(world, c);
  ASSERT_TRUE(result.converged);
  EXPECT_LT(result.steps, 500);
  alone(world, [&] {
    EXPECT_TRUE(fs::exists(scratch.path / fmt::format("fields_{:08}.vtkhdf", result.steps - 1)));
    const auto rows = test::read_csv(scratch.path / "wall.csv");
    ASSERT_FALSE(rows.empty());
    for (const auto& row : rows) {
      ASSERT_EQ(std::int64_t(row["step"]), result.steps - 1);
      ASSERT_GT(std::abs(row["wall_shear_stress_x_pa"]), 0);
    }
  });
}

}  // namespace
}  // namespace weft::flow
