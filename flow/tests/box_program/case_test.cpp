// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "box_program/case.hpp"
#include "box_program/solid_map.hpp"
#include "tests/support/documented_defaults.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::box_program {

// Reading a case. Every mistake in a case gives one line with the location and the allowed values.

namespace {

constexpr auto good = R"(title = "A box"
[lattice]
velocities = "D3Q27"
collision = "mrt"
precision = "fp32"
viscosity = 0.1
[box]
size = [12, 10, 8]
periodic = [true, false, true]
force = [0, 0, 1e-6]
[walls]
"+y" = [0.05, 0, 0.01]
[start]
flow = "uniform"
velocity = [0.01, 0, 0]
[[particle]]
position = [5, 5, 5]
radius = 2.5
[particles]
count = 2
radius = 1.0
gravity = [0, -1e-5, 0]
[run]
steps = 100
)";

Case read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const test::Scratch scratch;
  return read_case(scratch.write("case.toml", text), overrides);
}

std::string message(const std::vector<std::string>& overrides) {
  try {
    read(good, overrides);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(BoxCase, is_read_as_it_says) {
  const auto c = read(good);
  EXPECT_EQ(c.title, "A box");
  EXPECT_EQ(c.fluid.velocities, lattice::VelocitySet::d3q27);
  EXPECT_EQ(c.fluid.collision, lattice::Collision::mrt);
  EXPECT_EQ(c.fluid.precision, lattice::Precision::fp32);
  EXPECT_DOUBLE_EQ(c.fluid.tau, 0.8);
  EXPECT_EQ(c.size, (std::vector<std::size_t>{12, 10, 8}));
  EXPECT_EQ(c.periodic, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(c.wall_velocity[1][1], (std::array<double, 3>{0.05, 0, 0.01}));
  EXPECT_EQ(c.start.velocity, (std::array<double, 3>{0.01, 0, 0}));
  EXPECT_EQ(c.particles.list.size(), 3U);
  EXPECT_EQ(c.particles.list[0].radius, 2.5);
  EXPECT_EQ(c.particles.list[2].radius, 1.0);
  EXPECT_EQ(c.steps, 100);
  EXPECT_EQ(c.output.directory, std::filesystem::path("out/case"));
}

TEST(BoxCase, places_the_same_particles_each_time) {
  const auto a = read(good), b = read(good), other = read(good, {"particles.seed=2"});
  for (std::size_t p = 0; p < 3; ++p) EXPECT_EQ(a.particles.list[p].position, b.particles.list[p].position);
  EXPECT_NE(a.particles.list[1].position, other.particles.list[1].position);
}

// Across the periodic boundary, and between cells of the search.
TEST(BoxCase, places_particles_apart) {
  const auto c = read(
      good, {"box.size=[24, 20, 22]", "particles.count=250", "particles.radius=0.9", "particles.repulsion_range=0.3"});
  const auto& all = c.particles.list;
  ASSERT_EQ(all.size(), 251U);
  const Space space{.extent = {24, 20, 22}, .periodic = {true, false, true}, .block = {}};
  for (std::size_t p = 0; p < all.size(); ++p)
    for (std::size_t q = p + 1; q < all.size(); ++q) {
      std::array<double, 3> d{};
      for (std::size_t a = 0; a < 3; ++a) d[a] = all[p].position[a] - all[q].position[a];
      d = nearest(space, d);
      EXPECT_GT(std::hypot(d[0], d[1], d[2]), all[p].radius + all[q].radius + 0.3) << p << ", " << q;
    }
}

TEST(BoxCase, overrides_replace_what_they_exclude) {
  EXPECT_DOUBLE_EQ(read(good, {"lattice.tau=0.9"}).fluid.tau, 0.9);
  EXPECT_EQ(read(good, {"particle.0.fixed=true"}).particles.list[0].fixed, true);
  EXPECT_EQ(read(good, {"halo.scheme=by_dimension"}).scheme, HaloOptions::Scheme::by_dimension);
}

TEST(BoxCase, mistakes_are_named) {
  using testing::HasSubstr;
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"lattice.velocitys=\"D3Q19\"", "Did you mean 'velocities'?"},
      {"lattice.velocities=\"D3Q21\"", "D2Q9, D3Q15, D3Q19, D3Q27"},
      {"lattice.tau=0.5", "Use more than 0.5"},
      {"lattice.viscosity=-1", "viscosity in [lattice]"},
      {"lattice.bulk_tau=0.3", "Use more than 0.5"},
      {"box.size=[12, 10]", "Give a list of 3"},
      {"box.size=[12, 0, 3]", "not a positive whole number"},
      {"box.periodic=[1, 0, 1]", "neither true nor false"},
      {"box.periodic=[true, true, true]", "There can't be a wall at +y"},
      {"walls.+y=[0, 0.1, 0]", "a velocity normal to itself"},
      {"start.speed=0.1", "only with vortices and waves"},
      {"start.flow=\"taylor-green\"", "flow = \"uniform\""},
      {"particle.0.radius=5.5", "Use at most half of that"},
      {"particle.0.position=[5, 1, 5]", "from 2 to 7"},
      {"particle.0.colour=3", "The key 'colour' is unknown"},
      {"particles.count=500", "can't be placed"},
      {"particles.count=1000000000000000", "at most 1000000"},
      {"particles.radius=100", "can't be placed"},
      {"box.processes=[4294967297, 0, 0]", "not a number of ranks"},
      {"box.size=[100000, 100000, 1000000]", "more than 1e+15 sites"},
      {"box.force=[inf, 0, 0]", "not finite"},
      {"particle.0.position=[nan, 5, 5]", "not finite"},
      {"lattice.viscosity=1e-320", "tau would be 0.5"},
      {"halo.scheme=\"sideways\"", "direct, by_dimension"},
      {"run.steps=0", "steps in [run]"},
  };
  for (const auto& [override, expected] : mistakes) {
    const auto said = message({override});
    EXPECT_THAT(said, HasSubstr(expected)) << override;
    EXPECT_THAT(said, testing::AnyOf(HasSubstr("--set " + override), HasSubstr("case.toml:"))) << "names the place";
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

TEST(BoxCase, a_missing_section_is_named) {
  const test::Scratch scratch;
  const auto file = scratch.write("case.toml", "[lattice]\ntau = 1\n[run]\nsteps = 1\n");
  try {
    read_case(file);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("The section [box] is missing"));
  }
}

}  // namespace

// The defaults in docs/keys.md are those of a case without the key, and without its section.

namespace {

constexpr auto bare_case = R"([lattice]
tau = 0.8
[box]
size = [32, 24, 24]
periodic = [false, false, false]
[[particle]]
position = [10, 12, 12]
radius = 4
[run]
steps = 10
)";

TEST(BoxDefaults, are_those_of_the_documents) {
  test::expect_documented_defaults<Case>(WEFT_KEYS, "box", {bare_case}, {{"particle", "particle.0"}},
                                         {{}, {"start.flow=\"uniform\""}, {"start.flow=\"taylor-green\""}}, {},
                                         [](const auto& file, const auto& set) { return read_case(file, set); });
}

}  // namespace

}  // namespace weft::box_program
