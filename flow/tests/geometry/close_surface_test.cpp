// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "geometry/boundary.hpp"
#include "tests/support/geometry_shapes.hpp"
#include "weft/error.hpp"

using namespace weft::geometry;
using namespace weft::geometry::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

constexpr double millimetre = 1e-3;

std::string refusal(Surface surface, const std::vector<Opening>& openings = {}) {
  try {
    close_surface(surface, openings, "vessel.stl", millimetre);
  } catch (const weft::InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("vessel.stl: "));
    return e.what();
  }
  return "none";
}

int close(Surface& surface, const std::vector<Opening>& openings = {}) {
  return close_surface(surface, openings, "vessel.stl", millimetre);
}

bool is_closed(const Surface& s) {
  const auto check = check_edges(s);
  return check.open.empty() && check.crowded.empty() && check.turned.empty();
}

const Vector from{1, 2, 3}, to{4, 6, 3};
const std::vector<Opening> both_ends{opening("in", from, to - from, 0.5),
                                     opening("out", to, from - to, 0.5, Opening::Kind::outlet)};

}  // namespace

TEST(CloseSurface, leaves_a_good_surface_alone) {
  auto s = box({0, 0, 0}, {1, 1, 1});
  const auto triangles = s.triangles;
  EXPECT_EQ(close(s), 0);
  EXPECT_EQ(s.triangles, triangles);
  auto with_cavity = joined(box({0, 0, 0}, {4, 4, 4}), inside_out(box({1, 1, 1}, {2, 2, 2})));
  EXPECT_EQ(close(with_cavity), 0);
  EXPECT_NEAR(signed_volume(with_cavity), 63, 1e-12);
}

TEST(CloseSurface, turns_what_is_inside_out) {
  auto s = inside_out(sphere({0, 0, 0}, 1, 2));
  EXPECT_LT(signed_volume(s), 0);
  EXPECT_EQ(close(s), 0);
  EXPECT_GT(signed_volume(s), 3.5);
}

TEST(CloseSurface, caps_holes_on_discs) {
  for (const bool turned : {false, true}) {
    auto s = tube(from, to, 0.5, 32, Ends::open);
    if (turned) s = inside_out(s);
    EXPECT_EQ(close(s, both_ends), 2);
    EXPECT_TRUE(is_closed(s));
    EXPECT_NEAR(signed_volume(s), 5 * polygon_area(0.5, 32), 1e-9);
  }
}

TEST(CloseSurface, refuses_a_hole_on_no_disc_and_tells_where_and_how_large) {
  const auto s = tube(from, to, 0.5, 32, Ends::open);
  EXPECT_THAT(refusal(s, {both_ends[0]}), AllOf(HasSubstr("64 open edges"), HasSubstr("(4000, 6000, 3000)"),
                                                HasSubstr("radius 500"), HasSubstr("\"in\"")));
  auto small = both_ends;
  small[1].radius = 0.4;
  EXPECT_THAT(refusal(s, small), HasSubstr("\"out\""));
  auto away = both_ends;
  away[1].centre = to + 0.05 * normalised(to - from);
  EXPECT_THAT(refusal(s, away), HasSubstr("open edges"));
  EXPECT_THAT(refusal(s), HasSubstr("open edges"));
}

TEST(CloseSurface, refuses_a_missing_triangle) {
  auto s = sphere({0, 0, 0}, 1, 3);
  s.triangles.pop_back();
  EXPECT_THAT(refusal(s), HasSubstr("3 open edges"));
}

TEST(CloseSurface, tells_holes_that_touch_apart) {
  auto s = sphere({0, 0, 0}, 1, 1);
  // Two triangles that share only the pole.
  std::vector<std::size_t> at_pole;
  for (std::size_t i = 0; i < s.triangles.size(); ++i)
    if (std::count(s.triangles[i].begin(), s.triangles[i].end(), 4U) != 0) at_pole.push_back(i);
  ASSERT_EQ(at_pole.size(), 4U);
  s.triangles.erase(s.triangles.begin() + static_cast<std::ptrdiff_t>(at_pole[2]));
  s.triangles.erase(s.triangles.begin() + static_cast<std::ptrdiff_t>(at_pole[0]));
  EXPECT_THAT(refusal(s), AllOf(HasSubstr("6 open edges"), HasSubstr("a rim of 3 of them")));
}

TEST(CloseSurface, refuses_single_triangles_that_face_the_wrong_way) {
  auto s = sphere({0, 0, 0}, 1, 3);
  for (const std::size_t i : {7U, 100U, 101U}) std::swap(s.triangles[i][0], s.triangles[i][1]);
  EXPECT_THAT(refusal(s), AllOf(HasSubstr("edges join triangles of opposite"), HasSubstr("the first near (")));
}

TEST(CloseSurface, refuses_edges_of_more_than_two_triangles) {
  auto s = box({0, 0, 0}, {1, 1, 1});
  s.vertices.push_back({0.5, 0.5, 2});
  s.triangles.push_back({0, 1, 8});
  EXPECT_THAT(refusal(s), AllOf(HasSubstr("1 edges belong to more than two"), HasSubstr("(500, 0, 0)")));
}

TEST(CloseSurface, refuses_a_moebius_band) {
  Surface s;
  constexpr std::uint32_t n = 12;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double a = 2 * std::numbers::pi * i / n;
    for (const double w : {-0.3, 0.3})
      s.vertices.push_back(
          {(1 + w * std::cos(a / 2)) * std::cos(a), (1 + w * std::cos(a / 2)) * std::sin(a), w * std::sin(a / 2)});
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto a = 2 * i, b = a + 1;
    const auto c = i + 1 < n ? a + 2 : 1, d = i + 1 < n ? a + 3 : 0;  // connected with a twist
    s.triangles.push_back({a, c, b});
    s.triangles.push_back({b, c, d});
  }
  EXPECT_THAT(refusal(s), HasSubstr("one-sided"));
}

TEST(CloseSurface, refuses_nothing) { EXPECT_THAT(refusal(Surface{}), HasSubstr("no triangles")); }
