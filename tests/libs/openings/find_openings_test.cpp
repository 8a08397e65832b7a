// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "openings/detail/intersections.hpp"
#include "openings/find_openings.hpp"
#include "phantom/chamber.hpp"
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
  const auto part = analyse(some);
  EXPECT_FALSE(part.is_usable());
  EXPECT_TRUE(mentions(part, Finding::Weight::unusable, "10 of "));
  EXPECT_EQ(part.openings.size(), 2U);
}

TEST(FindOpenings, tells_a_hole_in_the_wall_from_an_opening) {
  auto surface = vessel(false, false);
  surface.triangles.erase(surface.triangles.begin() + 1000);
  const auto found = analyse(surface);
  EXPECT_EQ(found.openings.size(), 2U);
  EXPECT_FALSE(found.is_usable());
  EXPECT_TRUE(mentions(found, Finding::Weight::unusable, "A hole with a rim of 3 edges"));
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
