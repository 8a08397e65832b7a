// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numbers>

#include "flow/scaling/scaling.hpp"
#include "flow/vessel/lumens.hpp"
#include "phantom/tree_builder.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {

namespace {

using OpeningKind = lattice::OpeningState::Kind;

constexpr double wide = 5, thin = 4, mean_velocity = 0.2;  // mm, m/s at the inlet

/// A trunk that forks into two equal branches. Its radius is `trunk` (mm) in its middle; that of the left branch is
/// `branch` in the branch's middle.
struct Forked {
  geometry::Surface surface;
  Case c;

  Forked(double trunk, double branch) {
    phantom::TreeBuilder tree(1);
    tree.branch(
        {{{0, 0, 0}, wide}, {{0, 0, 20}, trunk}, {{0, 0, 40}, wide}, {{12, 0, 60}, branch}, {{24, 0, 80}, thin}}, "in",
        "left");
    tree.branch({{{0, 0, 40}, wide}, {{-12, 0, 60}, thin}, {{-24, 0, 80}, thin}}, "", "right");
    auto made = tree.finish("forked", 8000);
    surface = made.surface;
    c.surface.voxel = 5e-4;
    c.fluid.density = 1060;
    c.fluid.viscosity = 3.5e-3;
    for (const auto& disc : made.openings) {
      OpeningCase opening;
      opening.disc = disc;
      const bool inlet = disc.kind == geometry::Opening::Kind::inlet;
      opening.kind = inlet ? OpeningKind::velocity : OpeningKind::pressure;
      opening.value.points = {{0, inlet ? mean_velocity : 0.0}};
      c.openings.push_back(opening);
    }
  }
};

double circle(double mm) { return std::numbers::pi * mm * mm * 1e-6; }

TEST(NarrowestLumen, a_throat_of_the_trunk_has_all_of_the_flow) {
  Forked vessel(2.5, thin);
  ASSERT_EQ(vessel.c.openings.size(), 3U);
  const double before = estimate_flow(vessel.c).mean_speed;
  vessel.c.narrow = narrowest_lumen(vessel.surface, vessel.c);
  ASSERT_TRUE(vessel.c.narrow.has_value());
  EXPECT_NEAR(vessel.c.narrow->share, 1, 1e-9);
  EXPECT_NEAR(vessel.c.narrow->area / circle(2.5), 1, 0.08);
  EXPECT_NEAR(vessel.c.narrow->place[2], 0.02, 0.004);
  const auto flow = estimate_flow(vessel.c);
  EXPECT_TRUE(flow.inside);
  EXPECT_GT(flow.mean_speed, 3 * before);
}

// The last points of a line are near the cap, which is no wall.
TEST(NarrowestLumen, an_even_tube_has_none) {
  for (const geometry::Vector end : {geometry::Vector{0, 0, 40}, {10, 20, 31}}) {
    phantom::TreeBuilder tree(1);
    tree.branch({{{0, 0, 0}, 5}, {end, 5}}, "in", "out");
    Forked vessel(wide, thin);
    const auto made = tree.finish("tube", 8000);
    vessel.c.openings.pop_back();
    ASSERT_EQ(made.openings.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) vessel.c.openings[k].disc = made.openings[k];
    EXPECT_FALSE(narrowest_lumen(made.surface, vessel.c).has_value());
  }
}

TEST(NarrowestLumen, a_stenosis_of_a_branch_has_the_branchs_share) {
  Forked vessel(wide, 1.8);
  vessel.c.narrow = narrowest_lumen(vessel.surface, vessel.c);
  ASSERT_TRUE(vessel.c.narrow.has_value());
  EXPECT_NEAR(vessel.c.narrow->share, 0.5, 0.03);
  EXPECT_NEAR(vessel.c.narrow->area / circle(1.8), 1, 0.12);
}

TEST(NarrowestLumen, none_where_openings_are_as_narrow) {
  const Forked vessel(wide, thin);
  EXPECT_FALSE(narrowest_lumen(vessel.surface, vessel.c).has_value());
}

TEST(NarrowestLumen, none_where_pressures_drive) {
  Forked vessel(2.5, thin);
  vessel.c.openings.front().kind = OpeningKind::pressure;
  EXPECT_FALSE(narrowest_lumen(vessel.surface, vessel.c).has_value());
}

}  // namespace

namespace {

constexpr double voxel = 1e-4, radius = 8 * voxel;

// Sites of a tube along z, beyond the disc; a site on the disc is not fluid.
geometry::Domain tube(double disc_height, const geometry::Vector& normal) {
  geometry::Domain domain;
  const auto above = [&](double x, double y, double z) {
    return geometry::dot(normal, {x - 12, y - 12, z - disc_height}) > 1e-6;
  };
  domain.grid = {{0.01, -0.02, 0.03}, voxel, {24, 24, 30}};
  for (std::int32_t z = 0; z < 25; ++z)
    for (std::int32_t y = 0; y < 24; ++y)
      for (std::int32_t x = 0; x < 24; ++x)
        if (std::hypot(x - 12.0, y - 12.0) * voxel < radius && above(x, y, z)) domain.sites.push_back({x, y, z});
  const geometry::Vector centre{0.01 + 12 * voxel, -0.02 + 12 * voxel, 0.03 + disc_height * voxel};
  domain.openings = {{geometry::Opening::Kind::outlet, "out", centre, geometry::normalised(normal), 1.1 * radius}};
  return domain;
}

// In HemePure's FiveExit, 168 of 314 sites were in the plane: half-way between two layers, rounding decided on each
// cell's site.
TEST(SiteLumens, are_whole_where_the_disc_lies_in_a_layer_of_sites) {
  const double area = std::numbers::pi * radius * radius;
  run_in_process(1, [&](Transport& transport) {
    for (const double height : {4.0, 4.2, 4.5, 4.8, 5.0})
      for (const geometry::Vector& normal :
           {geometry::Vector{0, 0, 1}, {1e-9, 0, 1}, {-3e-12, 2e-12, 1}, {0.02, 0.01, 1}}) {
        const auto lumens = lumens_of_sites(transport, tube(height, normal));
        ASSERT_EQ(lumens.size(), 1U);
        EXPECT_NEAR(lumens[0].area / area, 1, 0.05) << height << " " << normal[0];
      }
  });
}

}  // namespace

}  // namespace weft::flow
