// SPDX-License-Identifier: BSD-3-Clause
//
// D3Q27's collisions at one site, the benchmark's cumulants compared with the library's, and a tube.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/collisions/reference_lattice.hpp"
#include "bench/collisions/square_flows.hpp"
#include "bench/collisions/tube_flow.hpp"
#include "lattice/detail/collide_cumulant.hpp"
#include "lattice/detail/rates.hpp"

namespace weft::bench {
namespace {

using lattice::D3Q27;

constexpr double round_off = 1e-13;

SitePopulations noisy() {
  SitePopulations f;
  for (std::size_t i = 0; i < f.size(); ++i)
    f[i] = D3Q27::weight[i] *
           (1 + 0.1 * std::sin(1.0 + 7.0 * double(i)) + 0.2 * D3Q27::velocity[i][0] - 0.1 * D3Q27::velocity[i][2]);
  return f;
}

class Collisions : public testing::TestWithParam<CollisionModel> {
 protected:
  static SitePopulations collided(SitePopulations f, const Fluid& fluid) {
    GetParam().collide(f, fluid, {bulk_of(f)});
    return f;
  }
};

std::string name_of(const testing::TestParamInfo<CollisionModel>& info) {
  auto name = info.param.name;
  for (auto& c : name)
    if (c == '-') c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(By, Collisions, testing::ValuesIn(collision_models()), name_of);

TEST_P(Collisions, keep_mass_and_add_the_forces_momentum) {
  const geometry::Vector force = {1e-3, -2e-3, 3e-3};
  const auto f = noisy();
  const auto before = bulk_of(f), after = bulk_of(collided(f, Fluid(0.02, force)));
  EXPECT_NEAR(after.density, before.density, round_off);
  for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(after.velocity[a], before.velocity[a] + force[a], round_off);
}

TEST_P(Collisions, leave_a_fluid_at_rest) {
  SitePopulations rest;
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = 1.01 * D3Q27::weight[i];
  const auto after = collided(rest, Fluid(0.001));
  for (std::size_t i = 0; i < rest.size(); ++i) EXPECT_NEAR(after[i], rest[i], round_off);
}

TEST_P(Collisions, relax_shear_stress_by_its_rate) {
  const Fluid fluid(0.02);
  const auto f = noisy();
  const auto before = central_moments(f, bulk_of(f));
  const auto g = collided(f, fluid);
  const auto after = central_moments(g, bulk_of(g));
  EXPECT_NEAR(after.at[1][1][0], (1 - fluid.stress_rate) * before.at[1][1][0], round_off);
  EXPECT_NEAR(after.at[0][1][1], (1 - fluid.stress_rate) * before.at[0][1][1], round_off);
}

TEST_P(Collisions, drive_the_flow_of_poiseuille) {
  const PeriodicTube tube({0, 0, 1}, 7);
  const auto errors = errors_of(tube, GetParam(), {.reynolds = 10, .mean_velocity = 0.01});
  ASSERT_TRUE(errors.is_stable());
  EXPECT_LT(std::abs(errors.drop), 0.01);
  EXPECT_LT(errors.profile, 0.01);
}

TEST_P(Collisions, let_vortices_decay_by_the_viscosity) {
  EXPECT_LT(std::abs(decay_error(GetParam(), {.size = 20, .p = 1, .q = 0, .viscosity = 0.02, .mean_velocity = {}})),
            0.02);
}

TEST(Moments, become_the_populations_that_they_are_of) {
  const auto f = noisy();
  const auto bulk = bulk_of(f);
  const auto moments = central_moments(f, bulk);
  const auto back = populations_of(moments_of(cumulants_of(moments)), bulk);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(back[i], f[i], round_off);
}

TEST(Cumulants, are_those_of_the_librarys_kernel) {
  const double viscosity = 0.01;
  const geometry::Vector force = {1e-3, -2e-3, 3e-3}, advection = {2e-3, -1e-3, 5e-4};
  auto f = noisy();
  double g[D3Q27::directions], velocity[3];
  const double correction[3] = {advection[0], advection[1], advection[2]};
  for (std::size_t i = 0; i < f.size(); ++i) g[i] = f[i] - D3Q27::weight[i];
  const auto rates =
      lattice::detail::rates_of<double>({lattice::Collision::cumulant, 3 * viscosity + 0.5, 3.0 / 16, 0, 0, force});
  lattice::detail::collide_cumulants<D3Q27, double>(g, rates, correction, velocity);
  collide_cumulant(f, Fluid(viscosity, force), {bulk_of(f), advection});
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], g[i] + D3Q27::weight[i], 1e-12);
}

TEST(ReferenceLattices, keep_mass_between_slanted_walls) {
  const PeriodicTube tube({1, 2, 4}, 4);
  ReferenceLattice lattice(tube.sites(), collision_models().back(), Fluid(0.01, {1e-4, 2e-4, 4e-4}));
  for (int step = 0; step < 100; ++step) lattice.step();
  double mass = 0;
  for (std::size_t s = 0; s < tube.sites().count(); ++s) mass += bulk_of(lattice.populations(s)).density;
  EXPECT_NEAR(mass, double(tube.sites().count()), 1e-10);
}

}  // namespace
}  // namespace weft::bench
