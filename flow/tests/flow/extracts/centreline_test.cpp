// SPDX-License-Identifier: BSD-3-Clause
//
// Whole runs with an extract along the centreline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "flow/run/simulation.hpp"
#include "flow/vessel/lumen_cuts.hpp"
#include "phantom/mesh_tubes.hpp"
#include "tests/support/csv_table.hpp"
#include "tests/support/flow_checkpoints.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using geometry::operator-;
using geometry::Vector;
using testing::HasSubstr;

ExtractCase along(std::optional<double> spacing, std::int64_t every) {
  ExtractCase e;
  e.every_steps = every;
  e.name = "centre";
  e.shape = ExtractCase::Shape::centreline;
  e.format = ExtractCase::Format::csv;
  e.spacing = spacing;
  return e;
}

Vessel made(mpi::Communicator& world, const Case& c, const geometry::Surface& surface) {
  auto vessel = make_vessel(world, c, surface);
  vessel.centrelines = cut_centrelines(world, c, surface, vessel.lumens);
  return vessel;
}

/// The tube's centrelines. All ranks compute them once, which takes a second.
const std::vector<CutCentreline>& tube_lines(mpi::Communicator& world, const Case& c,
                                             const geometry::Surface& surface) {
  static const auto lines = made(world, c, surface).centrelines;
  return lines;
}

RunResult run(mpi::Communicator& world, const Case& c, const geometry::Surface& surface,
              std::optional<fs::path> restart = {}) {
  auto vessel = make_vessel(world, c, surface);
  vessel.centrelines = tube_lines(world, c, surface);
  return flow::run(world, c, vessel, {.settings = {.quiet = true, .restart = std::move(restart)}});
}

/// A tube along no axis of the lattice, at a pressure well above zero.
Case tube_case(const fs::path& directory, std::int64_t steps) {
  auto tube = short_tube();
  tube.length = 30;
  auto c = tube.make();
  c.run.steps = steps;
  c.lattice.wall = lattice::Wall::bouzidi;
  c.openings[0].value.points = {{0, 0.1}};
  c.openings[1].value.points = {{0, 4.0}};
  c.output.directory = directory;
  c.average = {};
  c.average.every_steps = 1;
  c.extracts = {along(2.0, 10)};
  return c;
}
geometry::Surface tube_surface() {
  auto tube = short_tube();
  tube.length = 30;
  return tube.surface();
}

TEST(Centreline, in_a_tube_flow_is_constant_and_pressure_falls_as_poiseuilles) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = tube_case(scratch.path, 2500);
  c.extracts[0].every_steps.reset();
  c.average.start = 249;  // s; the average covers the last ten steps
  const auto result = run(world, c, tube_surface());
  alone(world, [&] {
    const double r = short_tube().radius, flow = result.last.flow.at(0);
    const double slope = -8 * c.fluid.viscosity * flow / (std::numbers::pi * std::pow(r, 4));
    for (const auto* name : {"centre.csv", "centre_average.csv"}) {
      const auto rows = test::read_csv(scratch.path / name);
      ASSERT_GT(rows.size(), 12U) << name;
      const auto &first = rows[2], &last = rows[rows.size() - 3];
      EXPECT_NEAR((last["pressure_pa"] - first["pressure_pa"]) / (last["along_m"] - first["along_m"]) / slope, 1, 0.04)
          << name;
      for (const auto& row : rows) {
        EXPECT_EQ(row.cells.at("branch"), "outlet");
        const bool is_inner = row["along_m"] > 7 && row["along_m"] < 23;
        EXPECT_NEAR(row["flow_m3_per_s"] / flow, 1, is_inner ? 0.01 : 0.025) << name << " " << row["along_m"];
        EXPECT_NEAR(row["area_m2"] / (std::numbers::pi * r * r), 1, 0.01);
        EXPECT_NEAR(row["radius_m"], r, is_inner ? 0.25 : 1) << row["along_m"];
        EXPECT_LE(row["pressure_lowest_pa"], row["pressure_pa"] + 1e-12);
        const double straight = first["pressure_pa"] + slope * (row["along_m"] - first["along_m"]);
        // the whole pressure drop is 1 Pa
        EXPECT_NEAR(row["pressure_pa"], straight, 0.02) << name << " " << row["along_m"];
      }
    }
    const auto rows = test::read_csv(scratch.path / "centre_average.csv");
    EXPECT_EQ(rows.front()["ffr"], 1);
    EXPECT_NEAR(rows.back()["ffr"], rows.back()["pressure_pa"] / rows.front()["pressure_pa"], 1e-12);
    EXPECT_LT(rows.back()["ffr"], 0.9);
    EXPECT_NEAR(rows.front()["from_s"], 249, 1e-9);
    EXPECT_NEAR(rows.front()["to_s"], 249.9, 1e-9);
  });
}

TEST(Centreline, files_are_the_same_bytes_on_any_number_of_ranks_and_after_a_restart) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto periodic = [&](const char* name, std::int64_t steps) {
    auto c = tube_case(scratch.path / name, steps);
    c.openings[0].value.points = {{0, 0.05}, {0.5, 0.15}};
    c.openings[0].value.period = 1.2;  // 12 steps
    c.average.every_steps = 2;
    return c;
  };
  run(world, periodic("all", 40), tube_surface());
  auto parts = periodic("parts", 23);
  parts.checkpoint.every_steps = 20;
  alone(world, [&] {
    mpi::Communicator self(MPI_COMM_SELF);
    run(self, periodic("one", 40), tube_surface());
    run(self, parts, tube_surface());
    fs::remove(parts.output.directory / "checkpoint_00000023.weft");
  });
  parts.run.steps = 40;
  run(world, parts, tube_surface(), fs::path());  // from step 20, on all ranks
  run(world, parts, tube_surface(), fs::path());  // no step is left to run
  alone(world, [&] {
    for (const auto* name : {"centre.csv", "centre_average.csv"}) {
      const auto expected = test::content(scratch.path / "one" / name);
      EXPECT_GT(expected.size(), 1000U) << name;
      EXPECT_TRUE(test::content(scratch.path / "all" / name) == expected) << name;
      EXPECT_TRUE(test::content(scratch.path / "parts" / name) == expected) << name;
    }
    const auto rows = test::read_csv(scratch.path / "one/centre_average.csv");  // steps 24 to 35: the third beat
    EXPECT_NEAR(rows.front()["from_s"], 2.4, 1e-9);
    EXPECT_NEAR(rows.front()["to_s"], 3.4, 1e-9);
  });
}

TEST(Centreline, the_average_is_that_of_the_last_whole_beat) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = tube_case(scratch.path, 36);  // ends with the third beat
  c.openings[0].value.points = {{0, 0.05}, {0.5, 0.15}};
  c.openings[0].value.period = 1.2;
  c.extracts[0].every_steps = 1;
  run(world, c, tube_surface());
  alone(world, [&] {
    std::map<double, double> flow, lowest;
    for (const auto& row : test::read_csv(scratch.path / "centre.csv")) {
      if (row["step"] < 24) continue;
      flow[row["along_m"]] += row["flow_m3_per_s"] / 12;
      const auto low = lowest.try_emplace(row["along_m"], row["pressure_lowest_pa"]).first;
      low->second = std::min(low->second, row["pressure_lowest_pa"]);
    }
    const auto rows = test::read_csv(scratch.path / "centre_average.csv");
    ASSERT_EQ(rows.size(), flow.size());
    for (const auto& row : rows) {
      EXPECT_NEAR(row["flow_m3_per_s"], flow.at(row["along_m"]), 1e-9 * std::abs(row["flow_m3_per_s"]));
      EXPECT_EQ(row["pressure_lowest_pa"], lowest.at(row["along_m"]));
    }
  });
}

/// A trunk along z with two daughter branches; lengths in voxels.
struct Fork {
  phantom::TubeTree tree{1};
  Case c;

  explicit Fork(const fs::path& directory) : c(tube_case(directory, 1000)) {
    tree.add({{{0, 0, -8}, 6}, {{0, 0, 26}, 6}});
    tree.add({{{0, 0, 22}, 4.6}, {{17, 0, 56}, 4.6}});
    tree.add({{{0, 0, 22}, 4.6}, {{-12, 0, 58}, 4.6}});
    c.openings.push_back(c.openings[1]);
    const auto end = [&](std::size_t k, const Vector& at, const Vector& normal, const char* name, double radius) {
      c.openings[k].disc = {k == 0 ? geometry::Opening::Kind::inlet : geometry::Opening::Kind::outlet, name, at,
                            geometry::normalised(normal), radius};
    };
    end(0, {0, 0, 0}, {0, 0, 1}, "in", 8);
    end(1, {13, 0, 48}, {-17, 0, -34}, "right", 6.5);
    end(2, {-8.6667, 0, 48}, {12, 0, -36}, "left", 6.5);
    c.extracts[0].every_steps.reset();
  }
};

TEST(Centreline, daughters_take_what_their_parent_brings_and_no_cut_has_a_neighbours_sites) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const Fork fork(scratch.path);
  const auto surface = phantom::mesh_tubes(fork.tree, 1.2);
  const auto vessel = made(world, fork.c, surface);
  const auto& line = vessel.centrelines.at(0);
  ASSERT_EQ(line.branches.size(), 2U);
  const auto sites = sites_of_cuts(line.cuts, vessel.domain, lattice::Wall::bouzidi);
  for (const auto& branch : line.branches)
    for (const auto& place : branch.places) {
      if (place.along < 42) continue;  // only positions in a daughter, where the other daughter crosses the same plane
      const auto& cut = line.cuts[place.cut];
      double area = 0;
      for (const auto& s : sites[place.cut]) {
        area += static_cast<double>(s.of_pressure);
        EXPECT_LT(geometry::length(vessel.domain.grid.centre(vessel.domain.sites[s.site]) - cut.plane.origin), 7);
      }
      area = all_reduce(world, area, sum<double>());
      EXPECT_NEAR(area / cut.area, 1, 0.06) << place.along;
      EXPECT_NEAR(cut.area / (std::numbers::pi * 4.6 * 4.6), 1, 0.06) << place.along;
    }
  // Both branches contain the trunk's cuts.
  EXPECT_EQ(line.branches[0].places[3].cut, line.branches[1].places[3].cut);
  flow::run(world, fork.c, vessel, {.settings = {.quiet = true}});
  alone(world, [&] {
    std::map<std::string, double> flow, places;
    double trunk = 0, in_trunk = 0;
    for (const auto& row : test::read_csv(scratch.path / "centre.csv")) {
      if (row["along_m"] < 14) trunk += row["flow_m3_per_s"], ++in_trunk;
      if (row["along_m"] > 42) flow[row.cells.at("branch")] += row["flow_m3_per_s"], ++places[row.cells.at("branch")];
    }
    ASSERT_EQ(flow.size(), 2U);
    trunk /= in_trunk;
    const double right = flow["right"] / places["right"], left = flow["left"] / places["left"];
    EXPECT_NEAR((right + left) / trunk, 1, 0.015);
    EXPECT_GT(std::abs(right - left), 0.002 * trunk);  // the branches differ
  });
}

TEST(Centreline, a_pressure_that_is_no_level_has_no_ratio) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = tube_case(scratch.path, 20);
  c.openings[1].value.points = {{0, -50.0}};
  run(world, c, tube_surface());
  alone(world, [&] {
    for (const auto& row : test::read_csv(scratch.path / "centre_average.csv")) EXPECT_TRUE(std::isnan(row["ffr"]));
    for (const auto& row : test::read_csv(scratch.path / "centre.csv")) EXPECT_TRUE(std::isnan(row["pressure_ratio"]));
  });
}

TEST(Centreline, too_many_places_are_one_error_on_every_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = tube_case(scratch.path / "out", 10);
  c.extracts[0].spacing = 1e-6;
  EXPECT_THAT(message_of(world, [&] { made(world, c, tube_surface()); }),
              HasSubstr("Extract 'centre' has more than 20000 places"));
}

}  // namespace
}  // namespace weft::flow
