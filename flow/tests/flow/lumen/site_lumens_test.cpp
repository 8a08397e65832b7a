// SPDX-License-Identifier: BSD-3-Clause
#include "flow/lumen/site_lumens.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "weft/transport/in_process.hpp"

namespace weft::flow {
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
