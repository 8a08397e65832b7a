// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/repair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <utility>

#include "geometry/boundary.hpp"
#include "geometry/read_surface.hpp"
#include "tests/support/geometry_shapes.hpp"

using namespace weft::geometry;
using namespace weft::geometry::test;
using ::testing::HasSubstr;

namespace {

const Vector tube_start{1, 2, 3}, tube_end{4, 6, 3};
const double tube_volume = 5 * polygon_area(0.5, 32);
Surface closed_tube() { return tube(tube_start, tube_end, 0.5, 32, Ends::capped); }

bool is_watertight(const Surface& s) {
  const auto check = check_edges(s);
  return check.open.empty() && check.crowded.empty() && check.turned.empty();
}

std::string repairs_of(Surface& s) {
  std::string texts;
  for (const auto& repair : repair_surface(s, 1e-3)) texts += repair.text + '\n';
  return texts;
}

// Some triangles as a surface with vertices of its own, moved.
Surface patch(const Surface& s, std::size_t first, std::size_t last, const Vector& by) {
  Surface p;
  for (auto t = first; t < last; ++t) {
    const auto n = static_cast<std::uint32_t>(p.vertices.size());
    for (const auto v : s.triangles[t]) p.vertices.push_back(s.vertices[v] + by);
    p.triangles.push_back({n, n + 1, n + 2});
  }
  return p;
}

}  // namespace

// Some triangles of a surface, whose numbers are not those of vertices of their own.
TEST(CheckEdges, needs_no_vertices) {
  const auto whole = closed_tube();
  EXPECT_TRUE(check_edges(Surface{}).open.empty());
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    Surface some;
    for (const auto& triangle : whole.triangles)
      if (random() % 3 != 0) some.triangles.push_back(triangle);
    auto with_vertices = some;
    with_vertices.vertices = whole.vertices;
    const auto a = check_edges(some), b = check_edges(with_vertices);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;  // of each edge, by its lower end
    for (const auto& t : some.triangles)
      for (std::size_t k = 0; k < 3; ++k) ++uses[std::minmax(t[k], t[(k + 1) % 3])];
    const auto once = std::count_if(uses.begin(), uses.end(), [](const auto& use) { return use.second == 1; });
    EXPECT_EQ(a.open.size(), static_cast<std::size_t>(once));
    ASSERT_EQ(b.open.size(), a.open.size());
    for (std::size_t k = 0; k < a.open.size(); ++k) EXPECT_EQ(a.open[k].from, b.open[k].from);
    EXPECT_TRUE(a.turned.empty() && a.crowded.empty());
  }
}

TEST(RepairSurface, leaves_a_good_surface_alone) {
  const std::vector<Surface> good = {closed_tube(),
                                     tube(tube_start, tube_end, 0.5, 32, Ends::open),
                                     inside_out(closed_tube()),
                                     sphere({0, 0, 0}, 1, 3),
                                     joined(box({0, 0, 0}, {4, 4, 4}), inside_out(box({1, 1, 1}, {2, 2, 2}))),
                                     joined(box({0, 0, 0}, {4, 4, 4}), box({1, 1, 1}, {2, 2, 2})),
                                     inside_out(joined(closed_tube(), sphere({9, 9, 9}, 1, 2)))};
  for (const auto& surface : good) {
    auto s = surface;
    EXPECT_EQ(repairs_of(s), "");
    EXPECT_EQ(s.triangles, surface.triangles);
  }
}

TEST(RepairSurface, reverses_triangles_that_face_the_wrong_way) {
  for (const int wrong : {1, 60, 100}) {  // of a hundred
    auto s = closed_tube();
    std::mt19937 dice(7);
    for (auto& t : s.triangles)
      if (static_cast<int>(dice() % 100) < wrong || wrong == 1) {
        std::swap(t[0], t[1]);
        if (wrong == 1) break;
      }
    const auto text = repairs_of(s);
    if (wrong < 100) {
      EXPECT_THAT(text, HasSubstr("of 128 triangles had the wrong orientation, the first near ("));
    }
    EXPECT_TRUE(is_watertight(s));
    EXPECT_NEAR(std::abs(signed_volume(s)), tube_volume, 1e-9) << wrong;
    EXPECT_EQ(signed_volume(s) > 0, wrong < 100);  // inside out as a whole is not its task
  }
}

TEST(RepairSurface, turns_one_of_several_vessels_and_keeps_a_body_inside_of_it) {
  const auto outer = box({0, 0, 0}, {4, 4, 4}), body = inside_out(box({1, 1, 1}, {2, 2, 2}));
  const auto beside = sphere({9, 0, 0}, 1, 3);
  const double expected = 63 + signed_volume(beside);
  for (auto s : {joined(joined(outer, body), inside_out(beside)), joined(inside_out(joined(outer, body)), beside)}) {
    EXPECT_THAT(repairs_of(s), HasSubstr("wrong orientation"));
    EXPECT_NEAR(signed_volume(s), expected, 1e-9);
  }
  auto cavity = inside_out(joined(outer, body));  // of the body one triangle faces as it should
  std::swap(cavity.triangles[15][0], cavity.triangles[15][1]);
  repairs_of(cavity);
  EXPECT_NEAR(signed_volume(cavity), 63, 1e-9);
}

TEST(RepairSurface, drops_doubled_triangles) {
  for (const std::size_t doubled : {1U, 5U, 128U})
    for (const bool turned : {false, true}) {
      auto s = closed_tube();
      for (std::size_t t = 0; t < doubled; ++t) {
        const auto [a, b, c] = s.triangles[t];
        if (turned)
          s.triangles.push_back({a, c, b});
        else
          s.triangles.push_back({b, c, a});
      }
      EXPECT_THAT(repairs_of(s), HasSubstr(std::to_string(doubled) + " of "));
      EXPECT_TRUE(is_watertight(s)) << doubled << turned;
      EXPECT_NEAR(signed_volume(s), tube_volume, 1e-9);
    }
}

TEST(RepairSurface, welds_patches_that_nearly_meet_and_no_others) {
  const auto whole = closed_tube();
  const double size = 6;  // about
  for (const double apart : {5e-7 * size, 1e-4 * size}) {
    const auto wall = patch(whole, 0, 64, {}), caps = patch(whole, 64, 128, {apart, 0, 0});
    auto s = joined(wall, inside_out(caps));
    const auto text = repairs_of(s);
    if (apart < 1e-5) {
      EXPECT_THAT(text, HasSubstr("are welded"));
      EXPECT_THAT(text, HasSubstr("wrong orientation"));
      EXPECT_TRUE(is_watertight(s));
      EXPECT_NEAR(signed_volume(s), tube_volume, 1e-4);
    } else {
      EXPECT_FALSE(is_watertight(s));
    }
  }
}

TEST(RepairSurface, leaves_short_edges_of_a_rim) {
  auto s = tube(tube_start, tube_end, 0.5, 32, Ends::open);
  const auto edges = check_edges(s).open;  // the first is divided close to its start
  const auto [from, to, triangle] = edges.front();
  const auto between = static_cast<std::uint32_t>(s.vertices.size());
  s.vertices.push_back(s.vertices[from] + 1e-6 * (s.vertices[to] - s.vertices[from]));
  auto rest = s.triangles[triangle];
  for (auto& v : rest) v = v == from ? between : v;
  for (auto& v : s.triangles[triangle]) v = v == to ? between : v;
  s.triangles.push_back(rest);
  ASSERT_EQ(check_edges(s).open.size(), 65U);
  EXPECT_EQ(repairs_of(s), "");
}

TEST(RepairSurface, closes_pinholes_and_no_openings) {
  auto s = sphere({0, 0, 0}, 1, 6);
  const double volume = signed_volume(s);
  s.triangles.erase(s.triangles.begin() + 500);  // one triangle
  const auto around = s.triangles[2000][0];      // all triangles around a vertex
  std::erase_if(s.triangles, [&](const auto& t) { return std::count(t.begin(), t.end(), around) > 0; });
  EXPECT_THAT(repairs_of(s), HasSubstr("2 pinholes in the wall, the first at ("));
  EXPECT_TRUE(is_watertight(s));
  EXPECT_NEAR(signed_volume(s), volume, 1e-4);

  auto touching = sphere({0, 0, 0}, 1, 3);
  const auto corner = touching.triangles[0][0];
  std::vector<std::size_t> at_corner;
  for (std::size_t t = 0; t < touching.triangles.size(); ++t)
    if (std::count(touching.triangles[t].begin(), touching.triangles[t].end(), corner) > 0) at_corner.push_back(t);
  const auto& one = touching.triangles[at_corner[0]];
  for (const auto t : at_corner) {  // one that shares only the corner
    const auto& other = touching.triangles[t];
    const auto shared =
        std::count_if(one.begin(), one.end(), [&](auto v) { return std::count(other.begin(), other.end(), v) > 0; });
    if (shared != 1) continue;
    touching.triangles.erase(touching.triangles.begin() + static_cast<std::ptrdiff_t>(std::max(t, at_corner[0])));
    touching.triangles.erase(touching.triangles.begin() + static_cast<std::ptrdiff_t>(std::min(t, at_corner[0])));
    break;
  }
  EXPECT_THAT(repairs_of(touching), HasSubstr("2 pinholes"));
  EXPECT_TRUE(is_watertight(touching));

  auto thin = tube({0, 0, 0}, {0, 0, 100}, 0.2, 6, Ends::open);  // its ends are as small as pinholes
  EXPECT_EQ(repairs_of(thin), "");
  auto large = sphere({0, 0, 0}, 1, 5);
  std::erase_if(large.triangles, [&](const auto& t) { return large.vertices[t[0]][2] > 0.9; });
  EXPECT_EQ(repairs_of(large), "");
}

TEST(RepairSurface, leaves_what_has_more_than_one_meaning) {
  auto fin = box({0, 0, 0}, {1, 1, 1});
  fin.vertices.push_back({0.5, 0.5, 2});
  fin.triangles.push_back({0, 1, 8});
  const auto triangles = fin.triangles;
  EXPECT_EQ(repairs_of(fin), "");
  EXPECT_EQ(fin.triangles, triangles);
}

// A solver that reads the repaired surface computes with the same triangles.
TEST(WritePly, is_read_as_it_was) {
  auto s = sphere({0.1, 1e-9, -1e5}, 1.0 / 3, 2);
  s.vertices.push_back({7, 7, 7});  // used by no triangle
  const auto path = std::filesystem::temp_directory_path() / ("weft_write_ply_" + std::to_string(::getpid()));
  std::ofstream file(path, std::ios::binary);
  write_ply(file, s, "a sphere");
  file.close();
  const auto read = read_surface(path, 1);
  std::filesystem::remove(path);
  ASSERT_EQ(read.triangles.size(), s.triangles.size());
  for (std::size_t t = 0; t < s.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(read.vertices[read.triangles[t][k]], s.vertices[s.triangles[t][k]]);
}
