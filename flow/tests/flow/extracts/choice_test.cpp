// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of an extract and of a cross-section, in a tube along z with sites at integer positions.
#include "flow/extracts/site_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "tests/support/shape_catalogue.hpp"
#include "tests/support/shape_domain.hpp"

namespace weft::flow {
namespace {

using Shape = ExtractCase::Shape;
using geometry::Position;

constexpr double radius = 7.4;
constexpr int length = 40;
const double centre = std::ceil(radius) + 1;

const geometry::Domain& domain() {
  static const test::ShapeDomains domains(test::tube(radius, length), 1, test::deal_in_turn);
  return domains.all()[0];
}

std::set<Position> chosen(const ExtractCase& extract) {
  const auto walls = find_surface_sites(domain(), lattice::Wall::half_way);
  std::set<Position> positions;
  for (const auto s : choose_sites(extract, domain(), walls)) positions.insert(domain().sites[s]);
  return positions;
}

ExtractCase plane(const geometry::Vector& at, const geometry::Vector& normal, std::optional<double> within = {}) {
  ExtractCase e;
  e.shape = Shape::plane;
  e.at = domain().grid.centre({0, 0, 0});
  for (std::size_t d = 0; d < 3; ++d) e.at[d] += domain().grid.voxel * at[d];
  e.normal = geometry::normalised(normal);
  e.radius = within;
  return e;
}

TEST(Extract, a_plane_along_the_lattice_is_one_layer) {
  // half-way between two layers: the upper one
  for (const double z : {20.0, 20.3, 19.6, 20.5, 20.5 - 1e-9, 20.5 + 1e-9}) {
    const auto sites = chosen(plane({centre, centre, z}, {0, 0, 1}));
    EXPECT_NEAR(double(sites.size()), std::numbers::pi * radius * radius, 12) << z;
    for (const auto& p : sites) ASSERT_EQ(p[2], int(std::floor(z + 0.5 + 1e-6))) << z;
  }
  const auto few = chosen(plane({centre, centre, 20}, {0, 0, 1}, 2.1 * domain().grid.voxel));
  EXPECT_EQ(few.size(), 13U);
}

TEST(Extract, a_tilted_plane_has_no_holes) {
  const geometry::Vector n = geometry::normalised({0.3, -0.2, 1});
  const auto sites = chosen(plane({centre, centre, 20}, n));
  for (const auto& p : domain().sites) {  // each link that crosses the plane has an end in it
    const auto off = [&](const Position& q) {
      return n[0] * (q[0] - centre) + n[1] * (q[1] - centre) + n[2] * (q[2] - 20);
    };
    const Position above{p[0], p[1], p[2] + 1};
    if (off(p) <= 0 && off(above) > 0) {
      EXPECT_TRUE(sites.contains(p) || sites.contains(above));
    }
  }
}

TEST(Extract, a_line_has_each_voxel_on_it_once_and_a_point_one) {
  ExtractCase line;
  line.shape = Shape::line;
  line.at = domain().grid.centre({int(centre), int(centre), -9});
  line.to = domain().grid.centre({int(centre), int(centre), 99});
  const auto sites = chosen(line);
  std::size_t on_axis = 0;
  for (const auto& p : domain().sites) on_axis += p[0] == int(centre) && p[1] == int(centre) ? 1 : 0;
  EXPECT_EQ(sites.size(), on_axis);
  EXPECT_GE(on_axis, std::size_t(length));

  ExtractCase point;
  point.shape = Shape::point;
  point.at = domain().grid.centre({int(centre), int(centre) + 2, 11});
  for (auto& x : point.at) x += 0.4 * domain().grid.voxel;
  EXPECT_EQ(chosen(point), (std::set<Position>{{int(centre), int(centre) + 2, 11}}));
  point.at[0] += 100 * domain().grid.voxel;
  EXPECT_TRUE(chosen(point).empty());
}

TEST(Extract, a_part_of_the_surface_is_what_lies_within_its_radius) {
  ExtractCase all, part;
  all.shape = part.shape = Shape::surface;
  part.at = domain().grid.centre({int(centre), int(centre) + 7, 20});
  part.radius = 1.8 * domain().grid.voxel;
  const auto whole = chosen(all), near = chosen(part);
  EXPECT_FALSE(near.empty());
  for (const auto& p : near) EXPECT_TRUE(whole.contains(p));
  for (const auto& p : whole) {
    const double away = std::hypot(p[0] - centre, p[1] - centre - 7, p[2] - 20);
    EXPECT_EQ(near.contains(p), away <= 1.8) << p[0] << " " << p[1] << " " << p[2];
  }
}

TEST(Section, has_the_area_of_what_it_cuts) {
  for (const geometry::Vector& n : {geometry::Vector{0, 0, 1}, {0.5, 0, 1}, {0.4, -0.3, 1}, {0.7, 0.7, 1}}) {
    const auto unit = geometry::normalised(n);
    SectionCase section{"cut", domain().grid.centre({int(centre), int(centre), 20}), unit,
                        3 * radius * domain().grid.voxel};
    double area = 0, through = 0;
    for (const auto& [site, weight, beside_wall] : section_sites(section, domain())) {
      const auto& p = domain().sites[site];
      const double x = p[0] - centre, y = p[1] - centre;
      area += weight;
      through += weight * unit[2] * (1 - (x * x + y * y) / radius / radius);  // Poiseuille's profile, along z
    }
    const double round = std::numbers::pi * radius * radius;
    EXPECT_NEAR(area, round / unit[2], 0.03 * round / unit[2]);
    EXPECT_NEAR(through, round / 2, 0.02 * round) << n[0] << " " << n[1];
  }
}

// Pressure scatters near the wall. These sites do not count, unless there are no others.
TEST(Section, its_pressure_is_that_of_sites_away_from_the_wall) {
  const SectionCase section{"cut", domain().grid.centre({int(centre), int(centre), 20}),
                            geometry::normalised({0.4, -0.3, 1}), 3 * radius * domain().grid.voxel};
  const auto sites = section_sites(section, domain());
  SectionSum inside, all, wall;
  double area = 0;
  for (const auto& site : sites) {
    const auto& p = domain().sites[site.site];
    const double from_axis = std::hypot(p[0] - centre, p[1] - centre);
    EXPECT_EQ(site.beside_wall, from_axis > radius - 1 || (from_axis > radius - std::sqrt(2.0) && site.beside_wall));
    area += site.weight;
    const lattice::SparseLattice::Moments away{1.01, {0, 0, 0.1}}, beside{1.5, {0, 0, 0.1}};
    all.add(site, section.normal, site.beside_wall ? beside : away);
    if (!site.beside_wall) inside.add(site, section.normal, away);
    if (site.beside_wall) wall.add(site, section.normal, beside);
  }
  EXPECT_NEAR(all.mean_density(), 1.01, 1e-9);
  EXPECT_EQ(all.mean_density(), inside.mean_density());
  EXPECT_NEAR(wall.mean_density(), 1.5, 1e-9);
  EXPECT_NEAR(all.area.value() * tick, area, 1e-9);
  EXPECT_NEAR(all.flow.value() * tick, 0.1 * section.normal[2] * area, 1e-9);  // of all sites
  const auto sum = wall + inside;
  EXPECT_EQ(sum.mean_density(), all.mean_density());
}

TEST(SurfaceSites, tell_the_normal_and_the_distance) {
  const auto walls = find_surface_sites(domain(), lattice::Wall::bouzidi);
  EXPECT_GT(double(walls.size()), 0.8 * 2 * std::numbers::pi * radius * length);
  for (const auto& wall : walls) {
    const auto& p = domain().sites[wall.site];
    const double x = p[0] - centre, y = p[1] - centre, r = std::hypot(x, y);
    if (p[2] < 3 || p[2] > length - 3) continue;
    ASSERT_GT((x * wall.normal[0] + y * wall.normal[1]) / r, std::cos(0.1)) << r;
    ASSERT_NEAR(wall.to_surface, radius - r, 0.08);
  }
}

}  // namespace
}  // namespace weft::flow
