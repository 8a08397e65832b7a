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
// 100,000 sites of a microsecond each: 1,000 s.
const Known known{.volume = 1e-7, .update_seconds = 1e-6};

TEST(UnstableLine, names_the_opening_in_the_surfaces_unit_and_what_helps_by_what_it_costs) {
  const auto c = vessel_case();
  const Breakdown b{
      .step = 8160, .place = geometry::Vector{1e-3, 0, 0.098}, .wall_distance = 1e-4, .population = -0.25};
  EXPECT_EQ(unstable_line(b, c, scaling, known),
            "the flow became unstable in step 8160 (at 81.6 ms) at (1, 0, 98) mm, 2.236 mm from the centre of outlet "
            "'out', beside a wall "
            "(a population is negative: -0.25). set lattice.collision to \"cumulant\" (22 minutes); if that is not "
            "enough, lattice.sponge "
            "to \"4 mm\" (17 minutes), then extension of 'out' to \"3 diameters\" (42 minutes), then lattice.time_step "
            "to 5e-06 (22 minutes), then surface.voxel to \"75 um\" (75 um: 240,000 sites, "
            "40 minutes, 113 MB).");
}

TEST(UnstableLine, leaves_out_what_the_case_has) {
  auto c = vessel_case();
  c.lattice.collision = lattice::Collision::cumulant;
  c.lattice.sponge = 4e-3;
  const auto text = unstable_line({.step = 5, .place = geometry::Vector{0, 0, 0.098}}, c, scaling, known);
  EXPECT_THAT(text, Not(HasSubstr("collision")));
  EXPECT_THAT(text, Not(HasSubstr("sponge")));
  EXPECT_THAT(text, HasSubstr("lattice.time_step to 5e-06"));
  EXPECT_THAT(text, HasSubstr("surface.voxel"));
}

TEST(UnstableLine, a_sponge_helps_only_near_an_opening) {
  const auto text = unstable_line({.step = 5, .place = geometry::Vector{0, 0, 0.05}, .wall_distance = 2e-3},
                                  vessel_case(), scaling, known);
  EXPECT_THAT(text, Not(HasSubstr("sponge")));
  EXPECT_THAT(text, HasSubstr("2 mm from the nearest wall"));
}

TEST(UnstableLine, without_a_place_or_a_speed_it_says_what_it_knows) {
  const auto text = unstable_line({.step = 5}, vessel_case(), scaling, {});
  EXPECT_THAT(text, HasSubstr("at a place that no rank knows"));
  EXPECT_THAT(text, HasSubstr("lattice.collision to \"cumulant\";"));
  EXPECT_THAT(text, Not(HasSubstr("minutes")));
}

}  // namespace
}  // namespace weft::flow
