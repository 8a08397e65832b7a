// SPDX-License-Identifier: BSD-3-Clause
//
// A run that means nothing any more ends with an error, whatever is monitored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "flow/tests/box_program/box_run.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

// The error of a run on `ranks` ranks; on all of them the same, marked so.
std::string error_of(const Case& c, int ranks) {
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  run_in_process(ranks, [&](Transport& world) {
    Simulation s(world, c);
    try {
      run(s, 3000);
      s.monitor().read_now(s.step());
    } catch (const Error& e) {
      EXPECT_TRUE(e.everywhere());
      errors[static_cast<std::size_t>(world.rank())] = e.what();
    }
  });
  for (const auto& error : errors) EXPECT_EQ(error, errors[0]);
  return errors[0];
}

Case with(std::vector<Particle> particles) {
  auto c = make_case({16, 24, 16});
  c.periodic[1] = false;
  c.fluid.tau = 0.8;
  c.particles.list = std::move(particles);
  c.monitor.incompressibility = c.monitor.stability = false;
  return c;
}

TEST(BrokenBox, a_particle_that_leaves_through_a_wall_ends_the_run) {
  for (const int ranks : {1, 3}) {
    const auto down =
        error_of(with({{.position = {8, 10, 8}, .velocity = {0, -0.08, 0}, .radius = 3, .density = 50}}), ranks);
    EXPECT_THAT(down, HasSubstr("Particle 0 left the box through the wall at -y, at (8, -0.5"));
    EXPECT_THAT(down, HasSubstr(" steps. Use a larger particles.repulsion_strength"));
  }
  EXPECT_THAT(error_of(with({{.position = {8, 10, 8}, .velocity = {0, 0.08, 0}, .radius = 3, .density = 50}}), 2),
              HasSubstr("through the wall at +y"));
}

TEST(BrokenBox, particles_inside_one_another_end_the_run) {
  EXPECT_THAT(error_of(with({{.position = {4, 12, 8}, .velocity = {0.1, 0, 0}, .radius = 3, .density = 80},
                             {.position = {12, 12, 8}, .velocity = {-0.1, 0, 0}, .radius = 3, .density = 80}}),
                       2),
              HasSubstr("Particles 0 and 1 are one inside the other"));
}

TEST(BrokenBox, a_particle_faster_than_sound_ends_the_run) {
  auto c = with({{.position = {8, 12, 8}, .radius = 3, .density = 50}});
  c.particles.gravity = {0.01, 0, 0};
  EXPECT_THAT(error_of(c, 2), HasSubstr("sites per step (that of sound is 0.577)"));
}

TEST(BrokenBox, fixed_particles_may_overlap) {
  EXPECT_EQ(error_of(with({{.position = {7, 12, 8}, .radius = 3, .fixed = true},
                           {.position = {8, 12, 8}, .radius = 3, .fixed = true}}),
                     1),
            "");
}

TEST(BrokenBox, numbers_that_are_not_finite_end_the_run_without_monitors) {
  auto c = make_case({32, 32});
  c.fluid.collision = lattice::Collision::bgk;
  c.fluid.tau = 0.5001;
  c.start = {.flow = StartCase::Flow::taylor_green, .speed = 0.5};
  c.monitor.incompressibility = c.monitor.stability = false;
  for (const int ranks : {1, 2})
    for (const std::int64_t every : {50, 100000}) {
      c.monitor.every = every;
      EXPECT_THAT(error_of(c, ranks), HasSubstr("The flow became unstable before step"));
    }
}

TEST(BrokenBox, a_nan_of_any_rank_ends_the_run) {
  constexpr int ranks = 3;
  for (int who = 0; who < ranks; ++who) {
    std::array<std::string, ranks> errors;
    run_in_process(ranks, [&](Transport& world) {
      Simulation s(world, make_case({12, 12, 12}));
      s.lattice().initialise([&](const Site& site) {
        const bool is_bad = world.rank() == who && site == Site{};
        return lattice::DenseLattice::State{is_bad ? std::numeric_limits<double>::quiet_NaN() : 1.0, {}};
      });
      try {
        s.monitor().read_now(s.step());
      } catch (const Error& e) {
        errors[static_cast<std::size_t>(world.rank())] = e.what();
      }
    });
    EXPECT_THAT(errors, ::testing::Each(HasSubstr("The flow became unstable before step 0"))) << who;
  }
}

}  // namespace
}  // namespace weft
