// SPDX-License-Identifier: BSD-3-Clause
#include "flow/monitoring/unstable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::flow {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Case vessel_case() {
  Case c;
  c.file = "case.toml";
  c.surface.metres_per_unit = 1e-3;
  c.surface.voxel = 1e-4;
  c.lattice.collision = lattice::Collision::trt;
  c.fluid.density = 1000;
  c.fluid.viscosity = 4e-3;
  c.run.steps = 10000;
  OpeningCase in, out;
  in.disc = {geometry::Opening::Kind::inlet, "in", {0, 0, 0}, {0, 0, 1}, 2e-3};
  in.kind = lattice::OpeningState::Kind::velocity;
  in.value.points = {{0, 0.3}};
  out.disc = {geometry::Opening::Kind::outlet, "out", {0, 0, 0.1}, {0, 0, -1}, 2e-3};
  out.value.points = {{0, 0}};
  c.openings = {in, out};
  return c;
}

const Scaling scaling{.dx = 1e-4, .dt = 1e-5, .density = 1000, .viscosity = 4e-6};
// 100,000 sites of one microsecond each: 1,000 s.
const Known known{.volume = 1e-7, .update_seconds = 1e-6};

TEST(UnstableLine, names_the_opening_in_the_surfaces_unit_and_what_helps_by_what_it_costs) {
  const auto c = vessel_case();
  const Breakdown b{.step = 8160,
                    .cause = Breakdown::Cause::negative_population,
                    .value = -0.25,
                    .place = {1e-3, 0, 0.098},
                    .wall_distance = 1e-4};
  EXPECT_EQ(unstable_line(b, c, scaling, known),
            "The flow became unstable in step 8160 (at 81.6 ms) at (1, 0, 98) mm, 2.236 mm from the centre of outlet "
            "'out', beside a wall (a population is negative: -0.25). Set lattice.collision to \"cumulant\" (21 of 21 "
            "such flows stayed stable with it, 22 minutes).");
}

TEST(UnstableLine, leaves_out_what_the_case_has) {
  auto c = vessel_case();
  c.lattice.collision = lattice::Collision::cumulant;
  const auto line = [&] { return unstable_line({.step = 5, .place = {0, 0, 0.098}}, c, scaling, known); };
  EXPECT_THAT(line(), Not(HasSubstr("collision")));
  EXPECT_THAT(line(), HasSubstr("Set lattice.velocities to \"D3Q27\""));
  EXPECT_THAT(line(), HasSubstr("if that is not enough, lattice.turbulence to \"smagorinsky\""));
  c.lattice.velocities = lattice::VelocitySet::d3q27;
  EXPECT_THAT(line(), HasSubstr("Set lattice.turbulence to \"smagorinsky\""));
  c.lattice.smagorinsky = 0.1;
  EXPECT_THAT(line(), HasSubstr("every setting that was found to help such flows"));
}

// A shorter time step only delays an instability that the cell Reynolds number causes.
TEST(UnstableLine, does_not_advise_another_time_step) {
  auto c = vessel_case();
  for (const auto collision : {lattice::Collision::trt, lattice::Collision::cumulant}) {
    c.lattice.collision = collision;
    EXPECT_THAT(unstable_line({.step = 5}, c, scaling, known), Not(HasSubstr("time_step")));
  }
}

TEST(UnstableLine, says_what_was_seen) {
  using Cause = Breakdown::Cause;
  const auto of = [](Cause cause, double value) {
    return unstable_line({.step = 5, .cause = cause, .value = value}, vessel_case(), scaling, known);
  };
  EXPECT_THAT(of(Cause::negative_population, -0.5), HasSubstr("(a population is negative: -0.5)"));
  EXPECT_THAT(of(Cause::not_a_number, 0), HasSubstr("(a population is not a number)"));
  EXPECT_THAT(of(Cause::density, -0.1), HasSubstr("(a density is not positive: -0.1 of the reference density)"));
  EXPECT_THAT(of(Cause::speed, 1.25), HasSubstr("(the flow is faster than sound: Mach number 1.25)"));
}

TEST(UnstableLine, without_a_wall_or_a_speed_it_says_what_it_knows) {
  const auto text = unstable_line({.step = 5}, vessel_case(), scaling, {});
  EXPECT_THAT(text, HasSubstr("at (0, 0, 0) mm, 0 mm from the centre of inlet 'in' ("));
  EXPECT_THAT(text, HasSubstr("Set lattice.collision to \"cumulant\""));
  EXPECT_THAT(text, Not(HasSubstr("minutes")));
}

}  // namespace
}  // namespace weft::flow
