// SPDX-License-Identifier: BSD-3-Clause
//
// Volumes and cut distances of shapes with exactly known values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/geometry_domains.hpp"
#include "tests/support/geometry_shapes.hpp"

using namespace weft;
using namespace weft::geometry;
using namespace weft::geometry::test;
using ::testing::HasSubstr;

namespace {

double volume(const Domain& domain) {
  return static_cast<double>(domain.global_sites) * std::pow(domain.grid.voxel, 3);
}

// Position of each cut, in metres.
template <class Visit>
void for_each_cut(const Domain& domain, const Visit& visit) {
  for (const auto& cut : domain.cuts) {
    const auto step = link_offset(cut.link);
    const Vector link{double(step[0]), double(step[1]), double(step[2])};
    visit(cut,
          domain.grid.centre(domain.sites[cut.site]) + domain.grid.voxel * static_cast<double>(cut.distance) * link);
  }
}

}  // namespace

TEST(Voxelise, a_box_of_whole_voxels_has_all_its_walls_half_way) {
  SetupReport report;
  const auto domain = voxelise(box({1, 2, 3}, {1.7, 3.1, 4.9}), {}, 0.1, report);
  EXPECT_EQ(report.sites, 7 * 11 * 19);
  EXPECT_EQ(report.dropped_sites, 0);
  EXPECT_EQ(domain.grid.extent, (std::array<std::int32_t, 3>{9, 13, 21}));
  EXPECT_FALSE(domain.cuts.empty());
  for (const auto& cut : domain.cuts) {
    EXPECT_NEAR(cut.distance, 0.5, 1e-6);
    EXPECT_EQ(cut.opening, Cut::wall);
  }
}

TEST(Voxelise, a_sphere_has_its_volume_and_its_cuts_lie_on_it) {
  for (const double voxel : {0.1, 0.05}) {  // lines pass through its poles and along its edges
    SetupReport report;
    const auto domain = voxelise(sphere({0, 0, 0}, 1, 5), {}, voxel, report);
    EXPECT_NEAR(volume(domain) / (4.0 / 3 * std::numbers::pi), 1, 0.01);
    for (const auto& site : domain.sites) ASSERT_LT(length(domain.grid.centre(site)), 1);
    for_each_cut(domain, [](const Cut&, const Vector& p) { EXPECT_NEAR(length(p), 1, 0.002); });
  }
}

TEST(Voxelise, a_slanted_tube_has_its_volume_and_its_cuts_lie_on_it) {
  const Vector from{0.1, 0.2, 0.3}, to{2.1, 1.7, 3.0};
  SetupReport report;
  const auto domain = voxelise(tube(from, to, 0.4, 200, Ends::capped), {}, 0.04, report);
  const double whole = length(to - from);
  EXPECT_NEAR(volume(domain) / (whole * polygon_area(0.4, 200)), 1, 0.01);
  const Vector axis = normalised(to - from);
  for_each_cut(domain, [&](const Cut&, const Vector& p) {
    const double along = dot(p - from, axis);
    const double radius = length(p - from - along * axis);
    const double off = std::min({std::abs(along), std::abs(along - whole), std::abs(radius - 0.4)});
    EXPECT_LT(off, 1e-4);
  });
}

TEST(Voxelise, a_wall_thinner_than_a_link_separates) {
  // Two ducts side by side, 0.2 voxels apart, with sites on either side of the gap.
  SetupReport report;
  const auto ducts = joined(box({0, 0, 0}, {4.9, 10, 10}), box({5.1, 0, 0}, {10, 10, 10}));
  const auto domain = voxelise(ducts, {}, 1, report);
  EXPECT_EQ(report.sites, 1000);
  std::int64_t facing = 0;
  for_each_cut(domain, [&](const Cut& cut, const Vector& p) {
    const auto x = domain.sites[cut.site][0];
    const bool right = cut.link == link_index(1, 0, 0) && x == 5;
    const bool left = cut.link == link_index(-1, 0, 0) && x == 6;
    if (!right && !left) return;
    ++facing;
    EXPECT_NEAR(p[0], right ? 4.9 : 5.1, 1e-6);
  });
  EXPECT_EQ(facing, 200);
}

TEST(Voxelise, overlapping_parts_are_one_fluid) {
  SetupReport report;
  const auto domain = voxelise(joined(box({0, 0, 0}, {6, 4, 4}), box({3, 0, 0}, {9, 4, 4})), {}, 1, report);
  EXPECT_EQ(report.sites, 9 * 4 * 4);
  for (const auto& cut : domain.cuts) EXPECT_NEAR(cut.distance, 0.5, 1e-6);
}

TEST(Voxelise, an_obstacle_is_not_fluid) {
  SetupReport report;
  const auto domain =
      voxelise(joined(box({0, 0, 0}, {12, 12, 12}), inside_out(box({4, 4, 4}, {8, 8, 8}))), {}, 1, report);
  EXPECT_EQ(report.sites, 12 * 12 * 12 - 4 * 4 * 4);
}

TEST(Voxelise, walls_through_sites_are_cut_somewhere) {
  // An inner step whose faces lie exactly on sites.
  SetupReport report;
  const auto domain =
      voxelise(joined(box({0, 0, 0}, {8, 8, 8}), inside_out(box({2.5, 2.5, 2.5}, {5.5, 5.5, 5.5}))), {}, 1, report);
  EXPECT_GE(report.sites, 512 - 64);
  EXPECT_LE(report.sites, 512 - 8);
  EXPECT_EQ(domain.global_sites, report.sites);
}

TEST(Voxelise, refuses_what_makes_no_sense) {
  const auto s = box({0, 0, 0}, {1, 1, 1});
  EXPECT_THAT(refusal(s, {}, 0), HasSubstr("voxel"));
  EXPECT_THAT(refusal(s, {}, -1), HasSubstr("voxel"));
  EXPECT_THAT(refusal(s, {}, std::nan("")), HasSubstr("voxel"));
  EXPECT_THAT(refusal(s, {}, 1e-12), HasSubstr("larger voxel"));
  EXPECT_THAT(refusal(s, {}, 1e-300), HasSubstr("larger voxel"));
  EXPECT_THAT(refusal(tube({0, 0, 0}, {9, 2, 1}, 0.05, 12, Ends::capped), {}, 3, 2), HasSubstr("No site lies inside"));
  EXPECT_THAT(refusal({}, {}, 1), HasSubstr("no triangles"));
  EXPECT_THAT(refusal(tube({0, 0, 0}, {9, 2, 1}, 1, 12, Ends::open), {}, 0.1, 3), HasSubstr("not closed"));
  EXPECT_THAT(refusal(s, {}, 0.1, 9), HasSubstr("more ranks (9) than blocks of 8^3 sites that contain fluid (8"));
}
