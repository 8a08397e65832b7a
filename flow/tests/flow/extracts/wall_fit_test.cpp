// SPDX-License-Identifier: BSD-3-Clause
//
// The derivative of the velocity at the wall, fitted to the sites around it.
#include "flow/extracts/wall_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "flow/extracts/near_wall.hpp"
#include "tests/support/shape_catalogue.hpp"
#include "tests/support/shape_domain.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {
namespace {

using geometry::dot;
using geometry::operator*;
using geometry::Vector;

struct Field {
  std::function<double(const Vector&)> velocity;
  std::function<Vector(const Vector&)> gradient;
};

/// The sites below a plane wall with this normal; the wall's point lies at `shift` from a site.
std::vector<WallFit::Site> half_space(const Vector& normal, const Vector& shift) {
  std::vector<WallFit::Site> sites;
  for (int z = -5; z <= 5; ++z)
    for (int y = -5; y <= 5; ++y)
      for (int x = -5; x <= 5; ++x)
        if (const Vector at{x - shift[0], y - shift[1], z - shift[2]};
            - dot(at, normal) > WallFit::nearest && dot(at, at) < WallFit::largest_reach * WallFit::largest_reach)
          sites.push_back({static_cast<std::uint32_t>(sites.size()), at});
  return sites;
}

double derivative(const Field& field, const Vector& normal, std::span<const WallFit::Site> sites) {
  double sum = 0;
  for (const auto& entry : WallFit::weights(normal, sites)) {
    const auto& at = sites[entry.place].at;
    sum += double(entry.velocity) * field.velocity(at) - double(entry.gradient) * dot(field.gradient(at), normal);
  }
  return sum;
}

const std::vector<Vector>& normals() {
  static const std::vector<Vector> all = {{1, 0, 0},
                                          {0, 0, -1},
                                          geometry::normalised({1, 1, 0}),
                                          geometry::normalised({1, -2, 4}),
                                          geometry::normalised({-3, 2, 1})};
  return all;
}

TEST(WallFit, meets_a_quadratic_velocity_that_slips) {
  const Field field{[](const Vector& r) {
                      return 0.3 - 2 * r[0] + r[1] + 0.5 * r[2] + r[0] * r[0] - 0.4 * r[1] * r[2] + 0.2 * r[0] * r[2];
                    },
                    [](const Vector& r) {
                      return Vector{-2 + 2 * r[0] + 0.2 * r[2], 1 - 0.4 * r[2], 0.5 - 0.4 * r[1] + 0.2 * r[0]};
                    }};
  for (const auto& n : normals())
    for (const double shift : {0.0, 0.21, 0.43})
      EXPECT_NEAR(derivative(field, n, half_space(n, {shift, 0.1, -shift})), -dot(Vector{-2, 1, 0.5}, n), 1e-5);
}

// The error of the fit begins with the fourth power of the depth.
TEST(WallFit, follows_a_layer_under_a_pulse_at_third_order) {
  for (const auto& n : normals()) {
    const auto sites = half_space(n, {0.3, 0.1, -0.2});
    double before = 0;
    for (const double thickness : {4.0, 8.0, 16.0}) {  // voxels
      const Field layer{[&](const Vector& r) { return 1 - std::exp(dot(r, n) / thickness); },
                        [&](const Vector& r) { return (-std::exp(dot(r, n) / thickness) / thickness) * n; }};
      const double error = std::abs(derivative(layer, n, sites) * thickness - 1);
      if (thickness == 4.0)
        EXPECT_LT(error, 0.02);
      else
        EXPECT_LT(error, before / 6);
      before = error;
    }
  }
}

TEST(WallFit, has_no_weights_where_sites_say_too_little) {
  const Vector n{0, 0, 1};
  auto sites = half_space(n, {0, 0, 0.3});
  EXPECT_FALSE(WallFit::weights(n, sites).empty());
  std::erase_if(sites, [](const WallFit::Site& s) { return s.at[2] < -1.5; });  // one layer
  EXPECT_TRUE(WallFit::weights(n, sites).empty());
  EXPECT_TRUE(WallFit::weights(n, {}).empty());
}

/// By wall site: the sites around each wall.
std::map<std::int64_t, std::vector<Vector>> surroundings(const test::Shape& shape, int ranks) {
  const test::ShapeDomains domains(shape, ranks, test::deal_scattered);
  std::vector<std::map<std::int64_t, std::vector<Vector>>> of(static_cast<std::size_t>(ranks));
  run_in_process(ranks, [&](Transport& world) {
    const auto rank = static_cast<std::size_t>(world.rank());
    const auto& domain = domains.all()[rank];
    const auto walls = find_surface_sites(domain, lattice::Wall::bouzidi);
    const NearWall near(world, domain, walls);
    for (const auto& wall : walls)
      for (const auto& site : near.around(wall))
        of[rank][domain.grid.site_id(domain.sites[wall.site])].push_back(site.at);
  });
  std::map<std::int64_t, std::vector<Vector>> all;
  for (const auto& part : of) all.insert(part.begin(), part.end());
  return all;
}

TEST(NearWall, has_the_same_sites_in_the_same_order_on_any_number_of_ranks) {
  const auto expected = surroundings(test::fork(0.75), 1);
  EXPECT_GT(expected.size(), 500U);
  for (const int ranks : {2, 5}) EXPECT_EQ(surroundings(test::fork(0.75), ranks), expected) << ranks;
}

TEST(NearWall, leaves_out_a_vessel_behind_the_wall_and_sites_at_it) {
  // Two channels one voxel apart: fluid at x from 0 to 9 and from 11 to 20.
  const test::Shape shape{
      {21, 16, 16}, [](const Vector& v) { return v[0] > -0.5 && v[0] < 20.5 && std::abs(v[0] - 10) > 0.7; }, {}};
  const auto all = surroundings(shape, 1);
  EXPECT_GT(all.size(), 100U);
  for (const auto& [site, around] : all) {
    const auto x = site % 21;
    for (const auto& at : around) {
      // The walls at 9.3 and 10.7 face away from each other.
      ASSERT_TRUE(x != 9 || at[0] < 0);
      ASSERT_TRUE(x != 11 || at[0] > 0);
    }
    EXPECT_GT(around.size(), 20U);
  }
}

}  // namespace
}  // namespace weft::flow
