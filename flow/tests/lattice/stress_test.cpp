// SPDX-License-Identifier: BSD-3-Clause
//
// The viscous stress after a step, compared with differences of the velocity and with a balance of forces.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "tests/support/lattice_noise.hpp"
#include "tests/support/lattice_periodic.hpp"
#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"

namespace weft::test {
namespace {

using lattice::Collision;
using lattice::Diagnostics;
using lattice::Parameters;
using lattice::Precision;
using lattice::VelocitySet;

using Tensor = std::array<double, 6>;  // xx yy zz, xy xz yz

std::map<Position, Tensor> stress_of(PeriodicLattice& flow) {
  std::map<Position, Tensor> result;
  const auto stress = flow.lattice().stress();
  for (std::size_t s = 0; s < stress.slot.size(); ++s)
    for (std::size_t k = 0; k < 6; ++k) result[flow.position(s)][k] = double(stress.component[k][stress.slot[s]]);
  return result;
}

class Stress : public testing::TestWithParam<std::tuple<VelocitySet, Collision, Precision>> {};

// Waves along each axis, in a box without walls. Differences over two voxels are 2.6 % too small with 16 voxels per
// wave.
TEST_P(Stress, is_that_of_the_velocitys_gradient) {
  constexpr int n = 16;
  constexpr double k = 2 * std::numbers::pi / n, small = 1e-3, tau = 0.8;
  const auto [set, collision, precision] = GetParam();
  if (collision == Collision::cumulant && !lattice::has_cumulants(set)) return;
  PeriodicLattice flow({n, n, n}, {true, true, true},
                       {.velocities = set, .precision = precision, .collision = collision, .tau = tau});
  flow.initialise([](const Position&) { return 1.0; },
                  [&](const Position& p) {
                    const double x = k * p[0], y = k * p[1], z = k * p[2];
                    return std::array<double, 3>{small * (std::sin(y) + 0.7 * std::cos(z)),
                                                 small * (0.5 * std::sin(z) - std::cos(x)),
                                                 small * (0.8 * std::sin(x) + 0.3 * std::cos(y))};
                  });
  for (int step = 0; step < 30; ++step) flow.step();
  flow.step(Diagnostics::stress);

  std::map<Position, std::array<double, 3>> velocity;
  flow.for_each([&](const Position& p, double, const std::array<double, 3>& u) { velocity[p] = u; });
  const auto difference = [&](Position p, std::size_t component, std::size_t axis) {
    auto before = p;
    before[axis] = (p[axis] + n - 1) % n;
    p[axis] = (p[axis] + 1) % n;
    return (velocity.at(p)[component] - velocity.at(before)[component]) / 2;
  };
  constexpr double viscosity = (tau - 0.5) / 3;
  constexpr std::array<std::array<std::size_t, 2>, 6> axes = {{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
  Tensor wrong{}, all{};
  for (const auto& [p, stress] : stress_of(flow))
    for (std::size_t c = 0; c < 6; ++c) {
      const auto [a, b] = axes[c];
      const double exact = viscosity * (difference(p, a, b) + difference(p, b, a));
      wrong[c] += std::pow(stress[c] - exact, 2);
      all[c] += exact * exact;
    }
  for (std::size_t c = 3; c < 6; ++c) {
    EXPECT_GT(all[c], 0) << c;
    EXPECT_LT(std::sqrt(wrong[c] / all[c]), 0.035) << c;
  }
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_LT(std::sqrt(wrong[c]), 0.02 * std::sqrt(all[3])) << c;  // no diagonal components
}

INSTANTIATE_TEST_SUITE_P(, Stress,
                         testing::Combine(testing::Values(VelocitySet::d3q15, VelocitySet::d3q19, VelocitySet::d3q27),
                                          testing::Values(Collision::bgk, Collision::trt, Collision::mrt,
                                                          Collision::regularised, Collision::cumulant),
                                          testing::Values(Precision::fp64, Precision::fp32)));

// Under a force g between two walls, layer by layer: stress_xz = rho g (middle - z), whatever the viscosity.
TEST(StressInAChannel, balances_the_force_for_any_fluid) {
  constexpr int n = 16;
  constexpr double force = 2e-6;
  for (const bool thinning : {false, true}) {
    Parameters p{.tau = 0.8, .force = {force, 0, 0}};
    if (thinning) p.viscosity = [](double rate) { return 0.05 + 0.2 / (1 + rate / 2e-5); };
    PeriodicLattice flow({8, 8, n}, {true, true, false}, p);
    for (int step = 0; step < 12000; ++step) flow.step();
    flow.step(Diagnostics::stress);
    std::map<Position, double> density;
    flow.for_each([&](const Position& at, double rho, const std::array<double, 3>&) { density[at] = rho; });
    for (const auto& [at, stress] : stress_of(flow)) {
      const double exact = density[at] * force * ((n - 1) / 2.0 - at[2]);
      ASSERT_NEAR(stress[4], exact, 1e-3 * force * n / 2) << at[2] << (thinning ? " thinning" : "");
      ASSERT_NEAR(stress[3], 0, 1e-6 * force * n) << at[2];
      ASSERT_NEAR(stress[0] + stress[1] + stress[2], 0, 1e-6 * force * n) << at[2];
    }
  }
}

TEST(StressOnRanks, is_the_same_bits) {
  const auto stress_on = [](int ranks, std::size_t cut) {
    LatticeRanks flow(tube(5.3, 20), ranks, {.tau = 0.7});
    flow.set_opening(0, {lattice::OpeningState::Kind::velocity, 1, 0.02});
    flow.set_opening(1, {lattice::OpeningState::Kind::pressure, 1, 0});
    for (int step = 0; step < 61; ++step) flow.step(false, cut);
    flow.step(Diagnostics::stress, cut);
    std::map<std::int64_t, std::array<float, 6>> all;
    for (std::size_t r = 0; r < flow.ranks().size(); ++r) {
      const auto stress = flow.ranks()[r].stress();
      const auto& domain = flow.domains()[r];
      for (std::size_t s = 0; s < domain.sites.size(); ++s)
        for (std::size_t c = 0; c < 6; ++c)
          all[domain.grid.site_id(domain.sites[s])][c] = stress.component[c][stress.slot[s]];
    }
    return all;
  };
  const auto one = stress_on(1, SIZE_MAX);
  EXPECT_GT(one.size(), 1000U);
  EXPECT_EQ(stress_on(3, 100), one);
  EXPECT_EQ(stress_on(4, SIZE_MAX), one);
}

// The moments before a step are those that the step then observes.
TEST(Moments, are_what_the_next_step_sees) {
  LatticeRanks flow(tube(5.3, 20), 2, {.tau = 0.7});
  flow.set_opening(0, {lattice::OpeningState::Kind::velocity, 1, 0.02});
  for (int step = 0; step < 40; ++step) flow.step();
  std::vector<std::vector<lattice::SparseLattice::Moments>> before;
  for (auto& rank : flow.ranks()) {
    auto& mine = before.emplace_back();
    for (std::size_t s = 0; s < rank.sites(); ++s) mine.push_back(rank.moments(s));
  }
  flow.step(true);
  for (std::size_t r = 0; r < before.size(); ++r) {
    const auto& rank = flow.ranks()[r];
    const auto density = rank.density();
    const auto velocity = rank.velocity();
    for (std::size_t s = 0; s < rank.sites(); ++s) {
      if (rank.is_at_opening(s)) continue;
      ASSERT_NEAR(before[r][s].density, density[s], 1e-14);
      for (std::size_t d = 0; d < 3; ++d) ASSERT_NEAR(before[r][s].velocity[d], velocity[s][d], 1e-15);
    }
  }
}

}  // namespace
}  // namespace weft::test
