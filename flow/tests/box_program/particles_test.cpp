// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "flow/tests/box_program/box_run.hpp"
#include "weft/transport/in_process.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using lattice::Collision;
using lattice::Precision;
using lattice::VelocitySet;

// The particle crosses edges of the box and of blocks, rotates, and meets another particle.
Case three_particles() {
  auto box = make_case({18, 16, 20});
  box.fluid.tau = 0.7;
  box.start = {.flow = StartCase::Flow::uniform, .velocity = {0.02, 0, -0.01}};
  box.particles = {
      .list = {{.position = {4, 5, 6}, .velocity = {0.05, 0.02, 0}, .spin = {0, 0, 0.01}, .radius = 3.2, .density = 2},
               {.position = {10, 8, 10}, .velocity = {-0.04, 0, 0}, .radius = 2.5, .density = 1.5},
               {.position = {15, 12, 18.5}, .velocity = {0, 0.03, 0.04}, .radius = 2.1, .density = 3, .fixed = true}},
      .gravity = {0, 0, 0},
      .repulsion_range = 1,
      .repulsion_strength = 0.05};
  return box;
}

TEST(Particles, mass_and_momentum_are_conserved_to_rounding) {
  for (const int ranks : {1, 2, 4}) {
    auto box = three_particles();
    box.particles.list.pop_back();  // the fixed particle absorbs momentum
    run_in_process(ranks, [&](Transport& world) {
      Simulation s(world, box);
      run(s, 1);
      const auto start = everything(world, s);
      for (int k = 0; k < 4; ++k) {
        run(s, 25);
        const auto now = everything(world, s);
        EXPECT_NEAR(now.mass, start.mass, 1e-9);
        for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(now.momentum[a], start.momentum[a], 1e-9) << a;
      }
      EXPECT_NE(s.particles().list()[0].velocity[0], 0.05);
    });
  }
}

void expect_same(const End& a, const End& b) {
  EXPECT_TRUE(a.sites == b.sites);
  EXPECT_EQ(a.readings, b.readings);
  ASSERT_EQ(a.particles.size(), b.particles.size());
  for (std::size_t p = 0; p < a.particles.size(); ++p) {
    EXPECT_EQ(a.particles[p].position, b.particles[p].position);
    EXPECT_EQ(a.particles[p].velocity, b.particles[p].velocity);
    EXPECT_EQ(a.particles[p].spin, b.particles[p].spin);
  }
}

TEST(Particles, the_same_bits_on_any_number_of_ranks_and_by_any_scheme) {
  for (const auto precision : {Precision::fp64, Precision::fp32}) {
    auto box = three_particles();
    box.fluid.precision = precision;
    const auto one = end_of(1, box, 41);
    EXPECT_FALSE(one.sites.empty());
    for (const int ranks : {2, 3, 4, 8}) expect_same(end_of(ranks, box, 41), one);
    box.scheme = HaloOptions::Scheme::by_dimension;
    expect_same(end_of(4, box, 41), one);
    box.payload = HaloOptions::Payload::whole;
    expect_same(end_of(2, box, 41), one);
    expect_same(end_of(2, box, 41, {.coalesce = false, .messages = {.grouping = Grouping::per_part}}), one);
  }
}

// A particle that moves with the fluid feels no force.
TEST(Particles, one_that_moves_with_the_fluid_feels_no_force) {
  auto box = make_case({16, 16, 16});
  box.start = {.flow = StartCase::Flow::uniform, .velocity = {0.03, 0.01, 0}};
  box.particles.list = {{.position = {8, 8, 8}, .velocity = {0.03, 0.01, 0}, .radius = 3.5, .density = 1.2}};
  run_in_process(1, [&](Transport& world) {
    Simulation s(world, box);
    for (int k = 0; k < 60; ++k) {  // covered and uncovered sites disturb it a little
      run(s, 1);
      const auto& u = s.particles().list()[0].velocity;
      EXPECT_NEAR(u[0], 0.03, 2e-3);
      EXPECT_NEAR(u[1], 0.01, 2e-3);
      EXPECT_NEAR(u[2], 0, 2e-3);
    }
  });
}

// A free sphere between walls that move in opposite directions rotates with half the shear rate (at low Reynolds number
// and little confinement; Ding and Aidun, J. Fluid Mech. 423 (2000) 317).
TEST(Particles, a_sphere_in_shear_flow_turns_with_half_the_shear_rate) {
  const double speed = 0.01, gap = 24, rate = 2 * speed / gap;
  auto box = make_case({24, 24, 24});
  box.periodic[1] = false;
  box.fluid.tau = 1.0;
  box.particles.list = {{.position = {11.5, 11.5, 11.5}, .radius = 3.4, .density = 1}};
  box.wall_velocity[1] = {{{-speed, 0, 0}, {speed, 0, 0}}};
  run_in_process(2, [&](Transport& world) {
    Simulation s(world, box);
    run(s, 2500);
    EXPECT_NEAR(s.particles().list()[0].spin[2] / (-0.5 * rate), 1.0, 0.08);
    EXPECT_NEAR(s.particles().list()[0].spin[0], 0, 1e-9);
  });
}

// Drag on a simple cubic array of spheres: Zick and Homsy, J. Fluid Mech. 115 (1982) 13, table 2. The force of the
// imposed gradient on the whole cell is 6 pi mu a U K.
double drag_factor(double fraction, std::size_t cell) {
  const double n = static_cast<double>(cell), a = n * std::cbrt(3 * fraction / (4 * std::numbers::pi));
  auto box = make_case({cell, cell, cell});
  box.fluid.tau = 1.0;
  const double viscosity = 1.0 / 6, push = 1e-6;
  box.fluid.force = {push, 0, 0};
  box.particles.list = {{.position = {n / 2 - 0.5, n / 2 - 0.5, n / 2 - 0.5}, .radius = a, .fixed = true}};
  double factor = 0;
  run_in_process(2, [&](Transport& world) {
    Simulation s(world, box);
    run(s, static_cast<int>(5 * n * n));
    const auto in_all = fluid(world, s, box.fluid.force);
    const double mean = in_all.momentum[0] / (n * n * n);  // superficial velocity
    const double total = push * n * n * n;
    factor = total / (6 * std::numbers::pi * viscosity * a * mean);
    // The force on the sphere is the force on the fluid.
    EXPECT_NEAR(s.particles().loads()[0].force[0] / (push * in_all.mass), 1, 0.01);
  });
  return factor;
}

TEST(Particles, drag_on_a_cubic_array_of_spheres_is_zick_and_homsy_s) {
  // A sphere of five to seven sites is a coarse staircase.
  EXPECT_NEAR(drag_factor(0.064, 20) / 2.810, 1, 0.05);
  EXPECT_NEAR(drag_factor(0.216, 20) / 7.442, 1, 0.05);
}

TEST(Particles, the_map_is_what_a_look_at_every_site_finds) {
  const Space space{
      .extent = {9, 7, 8}, .periodic = {true, false, true}, .block = {.first = {3, 0, 4}, .count = {6, 7, 4}}};
  box_program::SolidMap map(space);
  std::vector<Particle> list{{.position = {3, 3, 3}, .radius = 2.3}, {.position = {8.6, 5.5, 0.2}, .radius = 1.4}};
  std::vector<std::int32_t> before(8 * 9 * 6, -1);
  for (int step = 0; step < 30; ++step) {
    map.rebuild(list);
    std::size_t at = 0, covered = 0, uncovered = 0;
    for (std::ptrdiff_t x = -1; x <= 6; ++x)
      for (std::ptrdiff_t y = -1; y <= 7; ++y)
        for (std::ptrdiff_t z = -1; z <= 4; ++z, ++at) {
          std::int32_t found = -1;
          for (std::size_t p = list.size(); p-- > 0;) {
            const auto d = box_program::nearest(
                space, {static_cast<double>(x + 3) - list[p].position[0], static_cast<double>(y) - list[p].position[1],
                        static_cast<double>(z + 4) - list[p].position[2]});
            if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < list[p].radius * list[p].radius)
              found = static_cast<std::int32_t>(p);
          }
          if (y < 0 || y >= 7) found = -1;
          EXPECT_EQ(map.at({x, y, z}), found) << x << ' ' << y << ' ' << z;
          covered += found >= 0 && before[at] < 0;
          uncovered += found < 0 && before[at] >= 0;
          before[at] = found;
        }
    EXPECT_EQ(map.covered().size(), covered);
    EXPECT_EQ(map.uncovered().size(), uncovered);
    list[0].position[0] = std::fmod(list[0].position[0] + 0.37, 9);
    list[1].position[2] = std::fmod(list[1].position[2] + 0.61, 8);
  }
}

}  // namespace
}  // namespace weft
