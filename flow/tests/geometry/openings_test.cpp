// SPDX-License-Identifier: BSD-3-Clause
//
// The links that belong to an opening, and the sites that no opening reaches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/geometry_domains.hpp"
#include "tests/support/geometry_shapes.hpp"

using namespace weft;
using namespace weft::geometry;
using namespace weft::geometry::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

constexpr double radius = 1;
constexpr double voxel = 0.1;
const Vector from{0.3, 0.1, 0.2}, to{4.1, 3.0, 5.7};
const Vector axis = normalised(to - from);
const double whole = length(to - from);

double along(const Vector& p) { return dot(p - from, axis); }

// Openings `inset` inside the ends of the tube.
std::vector<Opening> ends(double inset, double opening_radius = radius) {
  return {opening("in", from + inset * axis, axis, opening_radius),
          opening("out", to - inset * axis, -1.0 * axis, opening_radius, Opening::Kind::outlet)};
}

Surface vessel() { return tube(from, to, radius, 64, Ends::capped); }

// Each cut belongs to the opening in whose plane it lies, at the exact position, and otherwise to the wall.
void expect_cuts_in_their_planes(const Domain& domain, double inset) {
  for (const auto& cut : domain.cuts) {
    const auto step = link_offset(cut.link);
    const Vector link{double(step[0]), double(step[1]), double(step[2])};
    const auto p = domain.grid.centre(domain.sites[cut.site]) + voxel * static_cast<double>(cut.distance) * link;
    const double a = along(p);
    const double r = length(p - from - a * axis);
    if (cut.opening == Cut::wall) {
      EXPECT_NEAR(r, radius, 0.003);
    } else {
      EXPECT_NEAR(a, cut.opening == 0 ? inset : whole - inset, 1e-5);
      EXPECT_LT(r, radius + 1e-5);
    }
  }
}

}  // namespace

TEST(Openings, caps_in_the_plane_of_the_disc) {
  for (const double given : {0.9 * radius, radius, 1.3 * radius}) {
    SetupReport report;
    const auto domain = voxelise(vessel(), ends(0, given), voxel, report);
    EXPECT_EQ(report.dropped_sites, 0);
    EXPECT_NEAR(static_cast<double>(report.sites) * std::pow(voxel, 3), whole * polygon_area(radius, 64), 0.3);
    for (const auto sites : report.opening_sites) EXPECT_GT(sites, 300);
    expect_cuts_in_their_planes(domain, 0);
  }
}

TEST(Openings, caps_a_little_off_the_disc_still_count) {
  for (const double off : {-0.6 * voxel, 0.6 * voxel}) {
    SetupReport report;
    voxelise(vessel(), ends(off), voxel, report);
    for (const auto sites : report.opening_sites) EXPECT_GT(sites, 300);
    EXPECT_LE(report.dropped_sites, off < 0 ? 0 : 1000);
  }
}

TEST(Openings, discs_cut_a_vessel_that_goes_on) {
  SetupReport report;
  const auto domain = voxelise(vessel(), ends(1), voxel, report);
  const double dropped = 2 * polygon_area(radius, 64);
  EXPECT_NEAR(static_cast<double>(report.dropped_sites) * std::pow(voxel, 3), dropped, 0.2);
  for (const auto& site : domain.sites) {
    const double a = along(domain.grid.centre(site));
    EXPECT_GE(a, 1);
    EXPECT_LE(a, whole - 1);
  }
  expect_cuts_in_their_planes(domain, 1);
}

TEST(Openings, fluid_that_no_opening_reaches_is_dropped_on_any_number_of_ranks) {
  const auto bubbles = joined(joined(vessel(), sphere({4, 0.5, 1}, 0.4, 3)), sphere({0.5, 3, 4}, 0.3, 3));
  std::int64_t dropped = 0;
  for (const int ranks : {1, 2, 5})
    run_in_process(ranks, [&](Transport& transport) {
      SetupReport report;
      make_domain(transport, bubbles, ends(0), voxel, report);
      if (transport.rank() != 0) return;
      EXPECT_NEAR(static_cast<double>(report.dropped_sites), 4.0 / 3 * std::numbers::pi * (64 + 27), 30);
      EXPECT_TRUE(dropped == 0 || dropped == report.dropped_sites);
      dropped = report.dropped_sites;
    });
}

TEST(Openings, the_far_side_of_a_disc_is_wall_where_another_opening_keeps_it) {
  // A disc in the middle: the outlet keeps the fluid behind it, and for that fluid the disc is a wall.
  const Vector middle = 0.5 * (from + to);
  const std::vector<Opening> openings{ends(0)[0], ends(0)[1], opening("middle", middle, axis, radius)};
  SetupReport report;
  const auto domain = voxelise(vessel(), openings, voxel, report);
  EXPECT_EQ(report.dropped_sites, 0);
  std::int64_t behind = 0, before = 0;
  for (const auto& cut : domain.cuts) {
    const double above = along(domain.grid.centre(domain.sites[cut.site])) - 0.5 * whole;
    if (cut.opening == 2) {
      ++before;
      EXPECT_GT(above, 0);
    }
    behind += cut.opening == Cut::wall && above < 0 && above > -0.05 &&
              link_offset(cut.link) == std::array<int, 3>{1, 1, 1} && cut.distance < 0.6F;
  }
  EXPECT_GT(before, 300);
  EXPECT_GT(behind, 50);
}

TEST(Openings, refuses_an_opening_without_fluid_naming_it_and_the_distance) {
  auto openings = ends(0);
  openings[1].centre = to + 1.0 * axis;
  EXPECT_THAT(refusal(vessel(), openings, voxel, 3),
              AllOf(HasSubstr("\"out\""), HasSubstr("no fluid site"), HasSubstr("the nearest is 1.0")));
  openings[1].centre = {100, 100, 100};
  EXPECT_THAT(refusal(vessel(), openings, voxel), HasSubstr("\"out\""));
}

TEST(Openings, refuses_a_normal_that_points_out) {
  auto openings = ends(0);
  openings[0].normal = -1.0 * axis;
  EXPECT_THAT(refusal(vessel(), openings, voxel, 2), AllOf(HasSubstr("\"in\""), HasSubstr("points out of the vessel")));
  openings[0].normal = {0, 0, 0};
  EXPECT_THAT(refusal(vessel(), openings, voxel), HasSubstr("\"in\""));
  openings = ends(0);
  openings[0].radius = 0;
  EXPECT_THAT(refusal(vessel(), openings, voxel), HasSubstr("radius"));
}
