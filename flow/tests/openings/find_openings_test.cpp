// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <utility>

#include "geometry/boundary.hpp"
#include "geometry/read_surface.hpp"
#include "openings/detail/candidates.hpp"
#include "openings/find_openings.hpp"
#include "phantom/made_vessel.hpp"
#include "phantom/mesh_tubes.hpp"
#include "tests/support/geometry_shapes.hpp"

using namespace weft::geometry;
using namespace weft::geometry::test;
using namespace weft::openings;

namespace {

// A straight tube along z, from 0 to 12, of radius 1 below and 0.7 above; capped, open, or with a rounded lower end.
Surface vessel(bool low_is_round, bool high_is_open) {
  constexpr std::uint32_t around = 40;
  Surface s;
  std::vector<std::pair<double, double>> rings;  // height, radius
  if (low_is_round)
    for (int k = 1; k < 10; ++k) {
      const double a = std::numbers::pi / 2 * k / 10;
      rings.emplace_back(-std::cos(a), std::sin(a));
    }
  for (int k = 0; k <= 60; ++k) rings.emplace_back(0.2 * k, k < 25 ? 1.0 : k > 35 ? 0.7 : 1.0 - 0.03 * (k - 25));
  for (const auto& [z, r] : rings)
    for (std::uint32_t k = 0; k < around; ++k)
      s.vertices.push_back(
          {r * std::cos(2 * std::numbers::pi * k / around), r * std::sin(2 * std::numbers::pi * k / around), z});
  const auto count = static_cast<std::uint32_t>(rings.size());
  for (std::uint32_t i = 0; i + 1 < count; ++i)
    for (std::uint32_t k = 0; k < around; ++k) {
      const auto a = i * around + k, b = i * around + (k + 1) % around;
      s.triangles.push_back({a, b, a + around});
      s.triangles.push_back({b, b + around, a + around});
    }
  const auto pole = [&](double z, std::uint32_t ring, bool turned) {
    const auto p = static_cast<std::uint32_t>(s.vertices.size());
    s.vertices.push_back({0, 0, z});
    for (std::uint32_t k = 0; k < around; ++k) {
      const auto a = ring * around + k, b = ring * around + (k + 1) % around;
      if (turned)
        s.triangles.push_back({p, b, a});
      else
        s.triangles.push_back({p, a, b});
    }
  };
  pole(low_is_round ? -1 : 0, 0, true);
  if (!high_is_open) pole(12, count - 1, false);
  return s;
}

VesselAnalysis analyse(Surface surface) { return find_openings(std::move(surface), 40'000); }

bool mentions(const VesselAnalysis& v, Finding::Weight weight, const std::string& words) {
  for (const auto& f : v.findings)
    if (f.weight == weight && f.text.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST(FindOpenings, tells_holes_caps_and_blind_ends_in_any_unit) {
  for (const double scale : {1.0, 1e-3, 1e3}) {
    for (const bool is_open : {false, true}) {
      for (const bool is_round : {false, true}) {
        auto surface = vessel(is_round, is_open);
        for (auto& v : surface.vertices) v = scale * v;
        const auto found = analyse(surface);
        ASSERT_EQ(found.openings.size(), 2U) << is_open << is_round;
        EXPECT_TRUE(found.is_usable());
        const auto &low = found.openings[0], &high = found.openings[1];
        EXPECT_EQ(low.kind, is_round ? VesselOpening::Kind::blind : VesselOpening::Kind::cap);
        EXPECT_EQ(high.kind, is_open ? VesselOpening::Kind::hole : VesselOpening::Kind::cap);
        EXPECT_NEAR(low.radius / scale, 1, 0.02);
        EXPECT_NEAR(high.radius / scale, 0.7, 0.02);
        EXPECT_GT(low.normal[2], 0.995);
        EXPECT_LT(high.normal[2], -0.9999);
        EXPECT_NEAR(high.centre[2] / scale, 12, 1e-6);
        if (is_round) {
          EXPECT_GT(low.centre[2] / scale, -0.1);  // beyond the rounded end
          EXPECT_LT(low.centre[2] / scale, 2.5);
        }
        EXPECT_GT(low.roundness, 0.98);
        EXPECT_GT(low.disc_radius, 1.0 * scale);
        EXPECT_NEAR(found.narrowest / scale, 1.4, 0.03);
      }
    }
  }
}

TEST(FindOpenings, tells_an_inside_out_surface_and_some_wrong_triangles) {
  const auto whole = analyse(inside_out(vessel(false, true)));
  EXPECT_TRUE(whole.is_usable());
  EXPECT_TRUE(mentions(whole, Finding::Weight::note, "inside out"));
  ASSERT_EQ(whole.openings.size(), 2U);
  EXPECT_LT(whole.openings[1].normal[2], -0.999);

  auto some = vessel(false, false);
  for (std::size_t t = 100; t < 110; ++t) std::swap(some.triangles[t][0], some.triangles[t][1]);
  const auto part = find_openings(some, 40'000, Repairs::none);
  EXPECT_FALSE(part.is_usable());
  EXPECT_FALSE(part.is_repaired);
  EXPECT_TRUE(mentions(part, Finding::Weight::unusable, "10 of "));
  EXPECT_EQ(part.openings.size(), 2U);
  const auto mended = analyse(some);
  EXPECT_TRUE(mended.is_usable());
  EXPECT_TRUE(mended.is_repaired);
  EXPECT_TRUE(mentions(mended, Finding::Weight::repaired, "10 of "));
  EXPECT_EQ(mended.surface.triangles.size(), some.triangles.size());
}

TEST(FindOpenings, tells_a_hole_in_the_wall_from_an_opening) {
  auto surface = vessel(false, false);
  surface.triangles.erase(surface.triangles.begin() + 1000);
  EXPECT_TRUE(mentions(analyse(surface), Finding::Weight::repaired, "1 pinhole"));
  EXPECT_TRUE(mentions(find_openings(surface, 40'000, Repairs::none), Finding::Weight::unusable,
                       "A hole with a rim of 3 edges"));
  const auto gap = [&](const Vector& p) { return p[0] > 0.6 && std::abs(p[2] - 3) < 1; };  // too large for a pinhole
  std::erase_if(surface.triangles, [&](const auto& t) { return gap(surface.vertices[t[0]]); });
  const auto found = analyse(surface);
  EXPECT_EQ(found.openings.size(), 2U);
  EXPECT_FALSE(found.is_usable());
  EXPECT_TRUE(mentions(found, Finding::Weight::unusable, "--repair"));
  const auto closed = find_openings(surface, 40'000, Repairs::all);
  EXPECT_TRUE(closed.is_usable());
  EXPECT_TRUE(mentions(closed, Finding::Weight::repaired, "ends no tube"));
  EXPECT_TRUE(check_edges(closed.surface).open.empty());
  EXPECT_TRUE(check_edges(closed.surface).turned.empty());
}

// Valves of a chamber: holes in its wall, behind which the lumen is much wider.
TEST(FindOpenings, takes_two_flat_round_holes_of_a_chamber) {
  for (const double second : {1.0, 0.2}) {  // the radius of the second hole
    constexpr std::uint32_t around = 40, rings = 30;
    const double low = -std::sqrt(9 - second * second), high = std::sqrt(9 - 1.2 * 1.2);
    Surface chamber;
    for (std::uint32_t i = 0; i <= rings; ++i)
      for (std::uint32_t k = 0; k < around; ++k) {
        const double z = low + (high - low) * i / rings, r = std::sqrt(9 - z * z),
                     a = 2 * std::numbers::pi * k / around;
        chamber.vertices.push_back({r * std::cos(a), r * std::sin(a), z});
        const auto here = i * around + k, beside = i * around + (k + 1) % around;
        if (i == rings) continue;
        chamber.triangles.push_back({here, beside, here + around});
        chamber.triangles.push_back({beside, beside + around, here + around});
      }
    const auto found = analyse(chamber);
    EXPECT_EQ(found.openings.size(), second > 0.5 ? 2U : 0U) << second;
    EXPECT_EQ(found.is_usable(), second > 0.5) << second;
  }
}

TEST(FindOpenings, tells_parts_and_triangles_that_cross) {
  const auto apart = analyse(joined(vessel(false, false), sphere({9, 0, 3}, 0.5, 2)));
  EXPECT_TRUE(mentions(apart, Finding::Weight::warning, "2 separate parts"));
  EXPECT_FALSE(mentions(apart, Finding::Weight::warning, "intersects itself"));
  const auto across = analyse(joined(vessel(false, false), sphere({1, 0, 3}, 0.5, 2)));
  EXPECT_TRUE(mentions(across, Finding::Weight::warning, "intersects itself"));
}

// In segmented hearts the chamber itself was cut through its middle, as if it were the end of a tube, and short tubes
// were missed.
TEST(FindOpenings, finds_the_tubes_of_a_chamber_and_no_cut_through_it) {
  using weft::phantom::Chamber;
  for (const auto kind : {Chamber::ventricle, Chamber::atrium})
    for (const bool is_open : {false, true}) {
      const auto made = weft::phantom::make_random_chamber(kind, kind == Chamber::atrium ? 7 : 1, is_open);
      const auto found = find_openings(made.surface, 100'000);
      EXPECT_EQ(found.openings.size(), made.openings.size()) << made.name << is_open;
      for (const auto& o : found.openings)
        EXPECT_TRUE(std::any_of(made.openings.begin(), made.openings.end(),
                                [&](const Opening& t) {
                                  return length(o.centre - t.centre) < 2 * t.radius &&
                                         std::abs(o.radius / t.radius - 1) < 0.1;
                                }))
            << made.name << is_open;
      EXPECT_EQ(mentions(found, Finding::Weight::warning, "is omitted"), kind == Chamber::ventricle && !is_open);
    }
}

// Each cap as a patch of its own, a little apart, and the right way round or not.
TEST(FindOpenings, welds_patches_that_are_farther_apart_if_it_is_told_to) {
  auto whole = vessel(false, false);
  Surface wall = whole, caps = whole;
  wall.triangles.resize(whole.triangles.size() - 80);
  caps.triangles.assign(whole.triangles.end() - 80, whole.triangles.end());
  for (auto& v : caps.vertices) v = v + Vector{3e-4, 0, 2e-4};
  const auto apart = joined(wall, inside_out(caps));
  EXPECT_TRUE(mentions(analyse(apart), Finding::Weight::unusable, "The rims of two holes nearly coincide"));
  const auto found = find_openings(apart, 40'000, Repairs::all);
  EXPECT_TRUE(found.is_usable());
  EXPECT_TRUE(mentions(found, Finding::Weight::repaired, "80 vertices of rims"));
  ASSERT_EQ(found.openings.size(), 2U);
  for (const auto& o : found.openings) EXPECT_EQ(o.kind, VesselOpening::Kind::cap);
}

// The solids of an STL file: the lower end, flat or domed, and the upper one.
Surface with_solids(Surface s, bool low_is_round) {
  s.solids = {"wall", "outlet A", "Inflow"};
  s.solid_of.assign(s.triangles.size(), 0);
  constexpr std::size_t around = 40, dome = 9 * 2 * around;
  if (low_is_round) std::fill_n(s.solid_of.begin(), dome, 1);
  std::fill(s.solid_of.end() - 2 * around, s.solid_of.end() - around, 1);
  std::fill(s.solid_of.end() - around, s.solid_of.end(), 2);
  return s;
}

TEST(FindOpenings, takes_the_names_of_solids) {
  for (const bool is_round : {false, true}) {
    const auto surface = with_solids(vessel(is_round, false), is_round);
    const auto found = analyse(surface);
    ASSERT_EQ(found.openings.size(), 2U) << is_round;
    EXPECT_EQ(found.openings[0].kind, VesselOpening::Kind::cap);
    EXPECT_EQ(found.openings[0].name, "outlet_A");
    EXPECT_EQ(found.openings[1].name, "Inflow");
    EXPECT_NEAR(found.openings[0].centre[2], 0, 1e-9);
    const auto roles = roles_of(found, {});
    EXPECT_EQ(roles, (std::vector<Role>{Role::outlet, Role::inlet}));
    EXPECT_EQ(name_in_case(found, roles, 1), "Inflow");
  }
  // Two solids of one name, and one with both caps: each end has a name, and both are inlets.
  for (const bool is_one : {false, true}) {
    auto surface = with_solids(vessel(false, false), false);
    surface.solids =
        is_one ? std::vector<std::string>{"wall", "inflow"} : std::vector<std::string>{"wall", "inflow", "inflow"};
    if (is_one)
      for (auto& solid : surface.solid_of) solid = std::min(solid, 1U);
    const auto found = analyse(surface);
    ASSERT_EQ(found.openings.size(), 2U);
    EXPECT_EQ((std::set{found.openings[0].name, found.openings[1].name}),
              (std::set<std::string>{"inflow_1", "inflow_2"}));
    EXPECT_EQ(roles_of(found, {}), (std::vector<Role>{Role::inlet, Role::inlet}));
  }
  // Also after a repair that removes triangles.
  auto doubled = with_solids(vessel(false, false), false);
  doubled.triangles.insert(doubled.triangles.begin(), doubled.triangles.front());
  doubled.solid_of.insert(doubled.solid_of.begin(), 0U);
  const auto found = analyse(doubled);
  EXPECT_TRUE(found.is_repaired);
  ASSERT_EQ(found.openings.size(), 2U);
  EXPECT_EQ(found.openings[1].name, "Inflow");
}

// A chamber with an appendage and tubes along the axes: those that are open have a hole, the others are blind.
Surface chamber_with_tubes(int open, int blind) {
  weft::phantom::TubeTree tree(0.3);
  tree.add({{{0, 0, 0}, 2.2}, {{0.8, 0, 0}, 2.2}});
  tree.add({{{0, 0, 0}, 0.8}, {{2, 2, 2.5}, 0.7}, {{3, 3, 3.6}, 0.6}});  // the appendage
  const std::array<Vector, 4> directions{{{-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, -1}}};
  std::vector<Opening> holes;
  for (std::size_t k = 0; k < static_cast<std::size_t>(open + blind); ++k) {
    tree.add({{0.5 * directions[k], 0.7}, {5 * directions[k], 0.7}});
    if (k < static_cast<std::size_t>(open))
      holes.push_back(opening("", 4.5 * directions[k], -1.0 * directions[k], 0.7));
  }
  auto surface = weft::phantom::mesh_tubes(tree, 0.2);
  for (const auto& hole : holes) surface = weft::phantom::cut_open(surface, hole);
  return surface;
}

// An atrium with holes got an inlet of four times their area, a cut through its middle, and its appendage became an
// outlet.
TEST(FindOpenings, keeps_blind_ends_closed_where_a_vessel_has_holes) {
  for (const int open : {2, 4}) {
    const auto found = find_openings(chamber_with_tubes(open, 4 - open), 100'000);
    ASSERT_EQ(found.openings.size(), static_cast<std::size_t>(open));
    for (const auto& o : found.openings) EXPECT_EQ(o.kind, VesselOpening::Kind::hole);
    EXPECT_TRUE(mentions(found, Finding::Weight::note, open == 4 ? "1 blind end stays closed" : "3 blind ends stay"));
    EXPECT_NEAR(found.narrowest, 1.4, 0.1);  // not the appendage's
  }
}

TEST(FindOpenings, proposes_no_cut_much_wider_than_the_only_hole) {
  const auto found = find_openings(chamber_with_tubes(1, 0), 100'000);
  for (const auto& o : found.openings) EXPECT_LT(o.radius, 1);
  EXPECT_EQ(found.openings.front().kind, VesselOpening::Kind::hole);
}

// Eight cuts through the middle of the tube were proposed.
TEST(FindOpenings, finds_only_the_caps_of_a_tube_with_a_body_inside) {
  for (const bool is_open : {false, true}) {
    const auto body = inside_out(sphere({0.2, 0, 2.5}, 0.5, 2));
    const auto found = analyse(joined(vessel(false, is_open), body));
    ASSERT_EQ(found.openings.size(), 2U) << is_open;
    for (const auto& o : found.openings) EXPECT_NE(o.kind, VesselOpening::Kind::blind);
  }
}

// HemePure's vessels: capped, and open.
TEST(FindOpenings, finds_the_ends_of_vessels_from_elsewhere) {
  const auto data = std::filesystem::path(WEFT_SOURCE).parent_path() / "shared/data";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << data << " is not there";
  for (const auto& [file, ends] :
       {std::pair{"hemepure-bifurcation/bifurcation.stl", 3U}, std::pair{"hemepure-sixbranch/SixBranch.stl", 6U}}) {
    const auto found = find_openings(read_surface(data / file, 1), 100'000);
    EXPECT_EQ(found.openings.size(), ends) << file;
    EXPECT_TRUE(found.is_usable()) << file;
    EXPECT_FALSE(found.is_repaired) << file;
  }
}

Surface torus() {
  weft::phantom::TubeTree tree(0.1);
  std::vector<weft::phantom::TubePoint> ring;
  for (int k = 0; k <= 48; ++k)
    ring.push_back({{4 * std::cos(2 * std::numbers::pi * k / 48), 4 * std::sin(2 * std::numbers::pi * k / 48), 0}, 1});
  tree.add(std::move(ring));
  return weft::phantom::mesh_tubes(tree, 0.25);
}

TEST(FindOpenings, says_that_a_body_without_ends_is_no_vessel) {
  const std::vector<std::pair<const char*, Surface>> bodies = {
      {"sphere", sphere({1, 2, 3}, 2, 4)},
      {"torus", torus()},
      {"box", box({0, 0, 0}, {2, 2, 2})},
      {"ball in a ball", joined(sphere({0, 0, 0}, 2, 4), inside_out(sphere({0.3, 0, 0}, 1, 3)))}};
  for (const auto& [name, body] : bodies) {
    const auto found = analyse(body);
    EXPECT_TRUE(found.openings.empty()) << name << ": " << found.openings.size();
    EXPECT_FALSE(found.is_usable()) << name;
    EXPECT_TRUE(mentions(found, Finding::Weight::unusable, "no vessel")) << name;
  }
}

// The sections of a rough tube vary more than those of a smooth tube, but less than those of the chamber that it leads
// to.
TEST(FindOpenings, finds_the_tubes_of_a_chamber_with_a_rough_wall) {
  auto made = weft::phantom::make_random_chamber(weft::phantom::Chamber::atrium, 308, false);
  for (auto& p : made.surface.vertices)
    for (auto& x : p) x += 0.25e-3 * (std::sin(1100 * (p[0] + 0.3 * p[1])) + std::sin(900 * (p[1] - 0.5 * p[2]) + 1));
  EXPECT_EQ(find_openings(made.surface, 100'000).openings.size(), made.openings.size());
}

// Paths led from one vessel into the other, and the narrowest lumen was found where there is none.
TEST(FindOpenings, looks_at_each_of_two_vessels_side_by_side) {
  for (const bool is_round : {false, true}) {
    auto small = vessel(is_round, false);
    for (auto& v : small.vertices) v = 0.4 * v + Vector{4, 0, 1};
    const auto found = find_openings(joined(vessel(is_round, false), small), 100'000);
    ASSERT_EQ(found.openings.size(), 4U) << is_round;
    EXPECT_EQ(found.parts(), 2);
    for (const auto& o : found.openings) EXPECT_EQ(o.part, o.centre[0] > 2 ? 1 : 0);
    EXPECT_NEAR(found.narrowest, 0.56, 0.03);
    EXPECT_NEAR(found.narrowest_at[0], 4, 0.3);
    for (const auto& branch : found.lines.branches)
      for (std::size_t k = 1; k < branch.points.size(); ++k)
        EXPECT_LT(length(branch.points[k] - branch.points[k - 1]), 1);
  }
}

TEST(CrossingPairs, are_those_that_go_through_each_other) {
  Surface s;
  s.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, -1}, {0.2, 0.2, 1},
                {2, 2, 1}, {5, 5, 5}, {6, 5, 5}, {5, 6, 5}};
  s.triangles = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};
  const auto pairs = weft::openings::detail::crossing_pairs(s);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0], (std::array<std::uint32_t, 2>{0, 1}));
  EXPECT_TRUE(weft::openings::detail::crossing_pairs(vessel(true, false)).empty());
}
