// SPDX-License-Identifier: BSD-3-Clause
//
// Wall quantities on a tube's own triangles, over whole runs: read back with plain HDF5.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <numbers>
#include <optional>

#include "flow/extracts/triangle_series.hpp"
#include "flow/run/simulation.hpp"
#include "tests/support/flow_checkpoints.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using geometry::operator+;
using geometry::operator-;
using geometry::operator*;
using enum FieldQuantity;
using program::hdf5::Rows;
using testing::HasSubstr;

const geometry::Vector axis = geometry::normalised(short_tube().axis);

Case watched(const fs::path& directory, std::int64_t steps) {
  auto c = short_tube().make();
  c.run.steps = steps;
  c.output.directory = directory;
  c.average.every_steps = 3;
  ExtractCase e;
  e.name = "tri";
  e.shape = ExtractCase::Shape::triangles;
  e.every_steps = 2;
  e.metres_per_unit = 0.1;
  e.quantities = {pressure,
                  wall_shear_stress,
                  wall_shear_stress_magnitude,
                  mean_wall_shear_stress,
                  oscillatory_shear_index,
                  relative_residence_time};
  c.extracts = {e};
  return c;
}

/// Triangles of half a voxel to one voxel, or long ones.
geometry::Surface surface(bool fine) {
  const auto tube = short_tube();
  return phantom::make_tube({0, 0, 0}, geometry::operator*(tube.length, axis), tube.radius, 48, fine ? 20 : 3);
}

RunResult run(mpi::Communicator& world, const Case& c, std::optional<fs::path> restart = {}, bool fine = true) {
  return flow::run(world, c, make_vessel(world, c, surface(fine)),
                   {.settings = {.quiet = true, .restart = std::move(restart)}});
}

const std::vector<std::string> names = {"pressure_pa",
                                        "wall_shear_stress_pa",
                                        "wall_shear_stress_magnitude_pa",
                                        "mean_wall_shear_stress_pa",
                                        "oscillatory_shear_index",
                                        "relative_residence_time_per_pa"};

struct Series {
  std::vector<double> times;
  std::vector<std::int64_t> steps;
  std::vector<std::vector<double>> values;  // by name

  explicit Series(const fs::path& file) {
    const Rows rows(file, Rows::Way::read);
    const auto count = static_cast<std::size_t>(rows.integer("VTKHDF/Steps", "NSteps"));
    EXPECT_EQ(rows.extent("VTKHDF/Steps/Values").at(0), count);
    times = rows.read<double>("VTKHDF/Steps/Values", 0, count);
    steps = rows.read<std::int64_t>("VTKHDF/FieldData/step", 0, count);
    const auto triangles = static_cast<std::size_t>(rows.read<std::int64_t>("VTKHDF/Polygons/NumberOfCells", 0, 1)[0]);
    for (const auto& name : names) values.push_back(rows.read<double>("VTKHDF/CellData/" + name, 0, count * triangles));
    const auto offsets = rows.read<std::int64_t>("VTKHDF/Steps/CellDataOffsets/pressure_pa", 0, count);
    for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(offsets[k], std::int64_t(k * triangles));
  }
};

void expect_same_bits(const Series& a, const Series& b) {
  EXPECT_EQ(a.times, b.times);
  EXPECT_EQ(a.steps, b.steps);
  for (std::size_t q = 0; q < names.size(); ++q) {
    ASSERT_EQ(a.values[q].size(), b.values[q].size());
    EXPECT_EQ(std::memcmp(a.values[q].data(), b.values[q].data(), a.values[q].size() * sizeof(double)), 0) << names[q];
  }
}

TEST(Triangles, are_the_same_bits_on_any_number_of_ranks_and_after_a_restart) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  run(world, watched(scratch.path / "all", 40));
  auto parts = watched(scratch.path / "parts", 23);
  parts.checkpoint.every_steps = 20;
  alone(world, [&] {
    mpi::Communicator self(MPI_COMM_SELF);
    run(self, watched(scratch.path / "one", 40));
    run(self, parts);
    fs::remove(parts.output.directory / "checkpoint_00000023.weft");
    EXPECT_EQ(Series(parts.output.directory / "tri.vtkhdf").steps.back(), 22);
  });
  parts.run.steps = 40;
  run(world, parts, fs::path());  // from step 20, on all ranks
  run(world, parts, fs::path());  // no step is left to run
  alone(world, [&] {
    const Series one(scratch.path / "one/tri.vtkhdf");
    ASSERT_EQ(one.steps.size(), 20U);  // more than the file has space for initially
    EXPECT_EQ(one.steps.front(), 1);
    EXPECT_EQ(one.steps.back(), 39);
    EXPECT_DOUBLE_EQ(one.times[1], 0.3);
    expect_same_bits(one, Series(scratch.path / "all/tri.vtkhdf"));
    expect_same_bits(one, Series(scratch.path / "parts/tri.vtkhdf"));
    EXPECT_EQ(test::content(scratch.path / "one/tri.vtkhdf"), test::content(scratch.path / "all/tri.vtkhdf"))
        << "to the byte";
    for (const auto& entry : fs::directory_iterator(scratch.path / "all"))
      EXPECT_EQ(entry.path().string().find(".weft-"), std::string::npos);
  });
}

/// Steady flow in a tube: each triangle, small or long, has the values of Poiseuille flow.
void expect_poiseuille(mpi::Communicator& world, bool fine) {
  const test::SharedScratch scratch(world);
  auto c = watched(scratch.path, 1200);
  c.openings[0].value.points = {{0, 0.1}};
  c.extracts[0].every_steps.reset();
  c.average.start = 100;
  c.average.every_steps = 40;
  const auto result = run(world, c, {}, fine);
  alone(world, [&] {
    const auto triangles = surface(fine);
    const Series series(scratch.path / "tri.vtkhdf");
    ASSERT_EQ(series.steps, std::vector<std::int64_t>{1199});
    const auto& [p, drag, magnitude, mean, index, residence] = std::tie(
        series.values[0], series.values[1], series.values[2], series.values[3], series.values[4], series.values[5]);
    const double radius = short_tube().radius, length = short_tube().length;
    const double exact = 4 * c.fluid.viscosity * result.last.flow.at(0) / (std::numbers::pi * std::pow(radius, 3));
    double wrong = 0, most = 0, all = 0, caps = 0;
    for (std::size_t t = 0; t < triangles.triangles.size(); ++t) {
      const auto& [a, b, d] = triangles.triangles[t];
      const auto &p0 = triangles.vertices[a], &p1 = triangles.vertices[b], &p2 = triangles.vertices[d];
      const auto centre = (1.0 / 3) * (p0 + p1 + p2);
      const auto normal = geometry::normalised(geometry::cross(p1 - p0, p2 - p0));
      if (std::abs(geometry::dot(normal, axis)) > 0.9) {
        ++caps;
        EXPECT_TRUE(std::isnan(p[t]) && std::isnan(drag[3 * t]) && std::isnan(mean[t]));
        continue;
      }
      ASSERT_FALSE(std::isnan(p[t])) << "each triangle of the wall has a value";
      const geometry::Vector vector{drag[3 * t], drag[3 * t + 1], drag[3 * t + 2]};
      ASSERT_NEAR(geometry::dot(vector, normal), 0, 1e-9 * exact) << "it lies in the triangle's plane";
      ASSERT_GE(magnitude[t], geometry::length(vector) * (1 - 1e-12));
      const double along = geometry::dot(centre, axis);
      if (along < 4 || along > length - 4) continue;
      const double off = geometry::dot(vector, axis) / exact - 1;
      wrong += off * off, most = std::max(most, std::abs(off)), ++all;
      EXPECT_NEAR(mean[t], magnitude[t], 0.02 * exact);  // the flow is steady
      EXPECT_LT(index[t], 1e-3);
      EXPECT_NEAR(residence[t] * (1 - 2 * index[t]) * mean[t], 1, 1e-9);
      // Pressure falls by 2 wall shear stress / radius along the tube, to that of the outlet.
      const double fall = 2 * exact / radius * (length - along);
      EXPECT_NEAR(p[t], fall, 0.08 * 2 * exact / radius * length) << along;
    }
    EXPECT_GT(caps, 40);
    EXPECT_GT(all, fine ? 500 : 90);
    EXPECT_LT(std::sqrt(wrong / all), 0.06);
    EXPECT_LT(most, 0.2);
  });
}

TEST(Triangles, have_poiseuilles_values_where_they_are_small) {
  mpi::Communicator world(MPI_COMM_WORLD);
  expect_poiseuille(world, true);
}

TEST(Triangles, have_poiseuilles_values_where_they_are_long) {
  mpi::Communicator world(MPI_COMM_WORLD);
  expect_poiseuille(world, false);
}

TEST(TriangleSeries, keeps_only_what_is_of_the_same_triangles_and_quantities) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto file = scratch.path / "deep/tri.vtkhdf";
  auto shape = surface(false);
  const auto write = [&](TriangleSeries& series, std::int64_t step, const std::string& name, double value) {
    const std::vector<double> all(world.rank() == 0 ? shape.triangles.size() : 0, value);
    series.write(step, 0.5 * double(step), std::vector<CellValues>{{name, 1, all}});
  };
  const auto steps = [&] {
    const Rows rows(file, Rows::Way::read);
    return rows.read<std::int64_t>("VTKHDF/FieldData/step", 0, rows.extent("VTKHDF/Steps/Values")[0]);
  };
  const auto go_on = [&](std::int64_t keep_below, const std::string& name) {
    TriangleSeries series(world, file, shape, {.keep_below = keep_below});
    write(series, 30, name, 3);
    return world.rank() == 0 ? steps() : std::vector<std::int64_t>{};
  };
  {
    TriangleSeries series(world, file, shape, {.metres_per_unit = 1, .voxel = 1, .most_steps = 2});
    for (const std::int64_t step : {10, 20, 25}) write(series, step, "a", double(step));  // one more than expected
  }
  using Steps = std::vector<std::int64_t>;
  const auto expected = [&](const Steps& s) { return world.rank() == 0 ? s : Steps{}; };
  EXPECT_EQ(go_on(21, "a"), expected({10, 20, 30}));
  alone(world, [&] {
    const Rows rows(file, Rows::Way::read);
    EXPECT_EQ(rows.read<double>("VTKHDF/CellData/a", shape.triangles.size(), 1)[0], 20);
    EXPECT_EQ(rows.read<double>("VTKHDF/Steps/Values", 0, 3), (std::vector<double>{5, 10, 15}));
  });
  EXPECT_EQ(go_on(25, "b"), expected({30})) << "another quantity";
  shape.vertices[0][0] += 1;
  EXPECT_EQ(go_on(40, "b"), expected({30})) << "another surface";
  alone(world, [&] { std::ofstream(file) << "not HDF5"; });
  EXPECT_EQ(go_on(40, "b"), expected({30})) << "what is no such file is replaced";
}

TEST(TriangleSeries, a_folder_that_cannot_be_written_is_one_error_on_every_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  alone(world, [&] { std::ofstream(scratch.path / "file") << "x"; });
  TriangleSeries series(world, scratch.path / "file/tri.vtkhdf", surface(false), {});
  const std::vector<double> all(world.rank() == 0 ? surface(false).triangles.size() : 0, 1.0);
  EXPECT_THAT(message_of(world,
                         [&] {
                           series.write(1, 1, std::vector<CellValues>{{"a", 1, all}});
                         }),
              HasSubstr((scratch.path / "file/tri.vtkhdf").string() + ": This file can't be written ("));
}

}  // namespace
}  // namespace weft::flow
