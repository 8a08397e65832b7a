// SPDX-License-Identifier: BSD-3-Clause
#include "flow/tests/lattice/cumulant_reference.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lattice/detail/collide_cumulant.hpp"
#include "lattice/detail/rates.hpp"

namespace weft::testing {
namespace {

SitePopulations noisy() {
  SitePopulations f;
  for (std::size_t i = 0; i < f.size(); ++i)
    f[i] = D3Q27::weight[i] *
           (1 + 0.1 * std::sin(1.0 + 7.0 * double(i)) + 0.2 * D3Q27::velocity[i][0] - 0.1 * D3Q27::velocity[i][2]);
  return f;
}

TEST(PlainCollision, moments_become_the_populations_that_they_are_of) {
  const auto f = noisy();
  const auto bulk = bulk_of(f);
  const auto moments = central_moments(f, bulk);
  const auto back = populations_of(moments_of(cumulants_of(moments)), bulk);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(back[i], f[i], 1e-13);
}

TEST(PlainCollision, is_that_of_the_kernel) {
  const double viscosity = 0.01;
  const Vector force = {1e-3, -2e-3, 3e-3}, advection = {2e-3, -1e-3, 5e-4};
  auto f = noisy();
  double g[D3Q27::directions], velocity[3];
  const double correction[3] = {advection[0], advection[1], advection[2]};
  for (std::size_t i = 0; i < f.size(); ++i) g[i] = f[i] - D3Q27::weight[i];
  const auto rates =
      lattice::detail::rates_of<double>({lattice::Collision::cumulant, 3 * viscosity + 0.5, 3.0 / 16, 0, 0, force});
  lattice::detail::collide_cumulants<D3Q27, double>(g, rates, correction, velocity);
  collide_cumulant(f, PlainFluid(viscosity, force), bulk_of(f), advection);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], g[i] + D3Q27::weight[i], 1e-12);
}

}  // namespace
}  // namespace weft::testing
