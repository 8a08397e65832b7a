// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/extend_opening.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "geometry/boundary.hpp"
#include "tests/support/geometry_domains.hpp"
#include "tests/support/prisms.hpp"

using namespace weft;
using namespace weft::geometry;
using namespace weft::geometry::test;
using ::testing::HasSubstr;

namespace {

const Plane askew_plane = Plane::through({0.3, -1, 2}, {1, 0.4, -0.3});

void expect_closed(Surface surface) {
  const auto check = geometry::check_edges(surface);
  EXPECT_EQ(check.open.size(), 0U);
  EXPECT_EQ(check.crowded.size(), 0U);
  EXPECT_EQ(check.turned.size(), 0U);
  EXPECT_EQ(close_surface(surface, {}, "extended", 1), 0);
}

std::string refusal(Surface surface, std::vector<Opening> openings, const ExtensionOptions& options,
                    double voxel = 0.1) {
  try {
    extend_opening(surface, openings, 0, options, voxel, 1e-3);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

std::vector<Vector> places(const Surface& surface, const std::vector<Opening>& openings, double voxel,
                           const Vector& a_site) {
  std::vector<Vector> result;
  run_in_process(1, [&](Transport& transport) {
    SetupReport report;
    const auto domain = make_domain(transport, surface, openings, voxel, report, a_site);
    for (const auto& site : domain.sites)
      result.push_back({std::round((domain.grid.centre(site)[0] - a_site[0]) / voxel),
                        std::round((domain.grid.centre(site)[1] - a_site[1]) / voxel),
                        std::round((domain.grid.centre(site)[2] - a_site[2]) / voxel)});
  });
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

TEST(ExtendOpening, a_tube_becomes_a_longer_tube) {
  for (const auto& outline : {ellipse(1, 1), ellipse(1.5, 0.8), d_shape(1.2), bean(1)}) {
    const auto far = opening("out", askew_plane.origin + 5 * askew_plane.normal, -1.0 * askew_plane.normal, 2);
    std::vector<Opening> openings{opening("in", askew_plane.origin, askew_plane.normal, 2), far};
    auto surface = prism(outline, askew_plane, 5);
    const auto grown = extend_opening(surface, openings, 0, {.length = 3}, 0.1, 1);
    expect_closed(surface);
    EXPECT_EQ(grown.length, 3);
    const auto middle = centroid(outline);
    EXPECT_LT(length(openings[0].centre - (askew_plane.at(middle) - 3 * askew_plane.normal)), 1e-9);
    EXPECT_NEAR(openings[0].radius, distances(outline, middle)[1], 1e-9);
    EXPECT_NEAR(geometry::signed_volume(surface), 8 * area(outline), 1e-9);
    const auto begin = askew_plane.moved(-3);
    const std::vector<Opening> longer_ends{opening("in", begin.origin, askew_plane.normal, 2), far};
    EXPECT_EQ(places(surface, openings, 0.1, {0.01, 0.02, 0.03}),
              places(prism(outline, begin, 8), longer_ends, 0.1, {0.01, 0.02, 0.03}));
  }
}

TEST(ExtendOpening, a_rounded_end_is_cut_off_first) {
  auto surface = capsule({0, 0, 0}, {0, 0, 6}, 1, 128);
  std::vector<Opening> openings{opening("in", {0.02, -0.01, 0.4}, {0, 0, 1}, 1.3),
                                opening("out", {0, 0, 6}, {0, 0, -1}, 1.1)};
  const auto before = surface;
  extend_opening(surface, openings, 0, {.diameters = 2}, 0.05, 1);
  expect_closed(surface);
  const double circle = area(ellipse(1, 1, 128));
  EXPECT_NEAR(openings[0].centre[2], 0.4 - 4 * std::sqrt(circle / std::numbers::pi), 1e-3);
  // The part above the cut is unchanged.
  const double half_sphere = (geometry::signed_volume(before) - 6 * circle) / 2;
  EXPECT_NEAR(geometry::signed_volume(surface), (6 - openings[0].centre[2]) * circle + half_sphere, 1e-3);
  for (const auto& v : surface.vertices)
    if (std::abs(v[2] - 3) < 2.5) {
      EXPECT_NEAR(std::hypot(v[0], v[1]), 1, 1e-9);
    }
}

TEST(ExtendOpening, an_oblique_cut_is_extended_along_its_normal) {
  auto surface = prism(ellipse(1, 1), Plane::through({0, 0, 0}, {0, 0, 1}), 8);
  const Vector normal = normalised({0.4, 0, 1});
  std::vector<Opening> openings{opening("in", {0, 0, 2}, normal, 1.2)};
  extend_opening(surface, openings, 0, {.length = 3}, 0.1, 1);
  expect_closed(surface);
  EXPECT_LT(length(openings[0].centre - (Vector{0, 0, 2} - 3 * normal)), 1e-4);  // the cut is slightly further inside
  const auto circle = area(ellipse(1, 1));
  EXPECT_NEAR(geometry::signed_volume(surface), 6 * circle + 3 * circle / normal[2], 1e-3);
}

TEST(ExtendOpening, becomes_round_where_asked) {
  for (const auto& outline : {ellipse(1.5, 0.8), d_shape(1.2), bean(1)}) {
    auto surface = prism(outline, askew_plane, 5);
    std::vector<Opening> openings{opening("in", askew_plane.origin, askew_plane.normal, 2)};
    extend_opening(surface, openings, 0, {.diameters = 3, .round = true}, 0.1, 1);
    expect_closed(surface);
    EXPECT_GT(geometry::signed_volume(surface), 5 * area(outline));
    const double round = std::sqrt(area(outline) / std::numbers::pi);
    EXPECT_NEAR(openings[0].radius / round, 1, 0.01);
    const auto end = find_lumens(surface, openings, 0.1).front();
    EXPECT_NEAR(end.area, area(outline), 1e-6 * end.area);
    EXPECT_NEAR(end.reach / distances(end.rings.front(), {0, 0})[0], 1, 0.01);
  }
}

TEST(ExtendOpening, several_openings_after_each_other) {
  auto surface = prism(bean(1), askew_plane, 5);
  std::vector<Opening> openings{
      opening("in", askew_plane.origin, askew_plane.normal, 2),
      opening("out", askew_plane.origin + 4.5 * askew_plane.normal, -1.0 * askew_plane.normal, 2)};
  extend_opening(surface, openings, 0, {.length = 2}, 0.1, 1);
  extend_opening(surface, openings, 1, {.length = 2, .round = true}, 0.1, 1);
  expect_closed(surface);
}

TEST(ExtendOpening, is_refused_where_it_cant_be) {
  const auto up = Plane::through({0, 0, 0}, {0, 0, 1});
  const auto vessel = prism(ellipse(1, 1), up, 5);
  const auto in = opening("in", {0, 0, 0}, {0, 0, 1}, 1.1), out = opening("out", {0, 0, 5}, {0, 0, -1}, 1.1);
  EXPECT_EQ(refusal(vessel, {in, out}, {.length = 3}), "");
  EXPECT_THAT(refusal(vessel, {opening("in", {9, 9, 9}, {0, 0, 1}, 1)}, {.length = 1}),
              HasSubstr("There is no lumen at the disc"));
  // If the normal is reversed, the whole vessel is beyond the disc.
  EXPECT_THAT(refusal(vessel, {opening("in", {0, 0, 1}, {0, 0, -1}, 1.1), out}, {.length = 1}),
              HasSubstr("Opening \"out\" lies beyond the disc"));
  // Another part of the vessel in the way of the extension.
  const auto across = joined(vessel, prism(ellipse(0.5, 0.5), Plane::through({-3, 0, -4}, {1, 0, 0}), 6));
  EXPECT_EQ(refusal(across, {in, out}, {.length = 3}), "");
  EXPECT_THAT(refusal(across, {in, out}, {.length = 4}), HasSubstr("would run into the vessel near ("));
  EXPECT_THAT(refusal(across, {in, out}, {.diameters = 4, .round = true}), HasSubstr("would run into the vessel"));
  // A thin part, completely inside the tube.
  EXPECT_THAT(refusal(joined(vessel, prism(ellipse(0.1, 0.1), Plane::through({0.3, 0, -3}, {1, 0, 0}), 0.2)), {in, out},
                      {.length = 4}),
              HasSubstr("would run into the vessel"));
  EXPECT_THAT(refusal(torus(3, 1, 96, 48), {opening("in", {3, 0, 0}, {0, 1, 0}, 1.1)}, {.length = 1}),
              HasSubstr("leads back into the vessel"));
  const auto hollow = joined(vessel, inside_out(prism(ellipse(0.3, 0.3), Plane::through({0.2, 0, 1}, {0, 0, 1}), 3)));
  EXPECT_THAT(refusal(hollow, {opening("in", {0, 0, 2}, {0, 0, 1}, 1.1)}, {.length = 1}),
              HasSubstr("not one closed outline"));
}
