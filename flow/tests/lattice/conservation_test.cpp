// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/lattice_noise.hpp"
#include "tests/support/lattice_periodic.hpp"
#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"
#include "weft/error.hpp"

namespace weft::test {
namespace {

using lattice::Collision;
using lattice::OpeningState;
using lattice::Parameters;

TEST(Conservation, mass_of_a_closed_box) {
  for (const auto collision : {Collision::bgk, Collision::trt, Collision::cumulant}) {
    LatticeRanks box_of(box(17, 12, 9), 3, {.collision = collision});
    box_of.initialise(noisy_density, noisy_velocity);
    box_of.step(true);
    const double mass = box_of.observation().mass;
    box_of.steps(200);
    box_of.step(true);
    EXPECT_NEAR(box_of.observation().mass, mass, 1e-12 * mass);
    EXPECT_GE(box_of.observation().lowest_population, 0);
  }
}

// What is rounded adds up like a random walk.
TEST(Conservation, mass_of_a_closed_box_in_16_bits) {
  for (const auto storage : {lattice::Storage::fp16, lattice::Storage::fp16c}) {
    LatticeRanks box_of(box(17, 12, 9), 3, {.precision = lattice::Precision::fp32, .storage = storage});
    box_of.initialise(noisy_density, noisy_velocity);
    box_of.step(true);
    const double mass = box_of.observation().mass;
    box_of.steps(200);
    box_of.step(true);
    EXPECT_NEAR(box_of.observation().mass, mass, 2e-6 * mass) << name_of(storage);
  }
}

TEST(Conservation, momentum_grows_by_the_force) {
  const std::array<double, 3> force{1e-5, -2e-5, 3e-5};
  for (const auto collision : {Collision::bgk, Collision::trt, Collision::cumulant}) {
    PeriodicLattice periodic({8, 16, 8}, {true, true, true}, {.collision = collision, .force = force});
    periodic.initialise(noisy_density, noisy_velocity);
    const auto momentum = [&] {
      std::array<double, 4> sum{};  // momentum, then mass
      periodic.for_each([&](const Position&, double density, const std::array<double, 3>& u) {
        for (std::size_t d = 0; d < 3; ++d) sum[d] += density * u[d];
        sum[3] += density;
      });
      return sum;
    };
    periodic.step(true);
    const auto before = momentum();
    constexpr int steps = 50;
    for (int k = 0; k < steps; ++k) periodic.step(true);
    const auto after = momentum();
    EXPECT_NEAR(after[3], before[3], 1e-10);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(after[d] - before[d], steps * force[d] * before[3], 1e-10);
  }
}

TEST(Conservation, mass_changes_by_what_enters_through_openings) {
  for (const auto& p :
       {Parameters{.collision = Collision::bgk, .tau = 0.9}, Parameters{.collision = Collision::trt, .tau = 0.9},
        Parameters{.collision = Collision::cumulant, .tau = 0.9},
        Parameters{
            .collision = Collision::cumulant, .tau = 0.55, .wall = lattice::Wall::bouzidi, .sponge = {.length = 4}}}) {
    LatticeRanks fork_of(fork(0.6), 3, p);
    fork_of.initialise(noisy_density, noisy_velocity);
    fork_of.set_opening(0, {OpeningState::Kind::velocity, 1, 0.02});
    fork_of.set_opening(1, {OpeningState::Kind::pressure, 0.999, 0});
    fork_of.set_opening(2, {OpeningState::Kind::pressure, 1.002, 0});
    fork_of.step(true);
    for (int k = 0; k < 100; ++k) {
      const double before = fork_of.observation().mass;
      fork_of.step(true);
      const auto inflow = fork_of.inflow();
      const double entered = std::accumulate(inflow.begin(), inflow.end(), 0.0);
      ASSERT_NEAR(fork_of.observation().mass - before, entered, 1e-14 * before) << "step " << k;
      ASSERT_GT(inflow[0], 0);
    }
  }
}

TEST(Conservation, rest_stays_exactly_at_rest) {
  for (const auto collision : {Collision::bgk, Collision::trt}) {
    LatticeRanks fork_of(fork(0.5), 2, {.collision = collision, .tau = 0.77});
    for (std::size_t k = 0; k < 3; ++k) fork_of.set_opening(k, {});
    fork_of.set_opening(0, {OpeningState::Kind::velocity, 1, 0});
    fork_of.initialise([](const Position&) { return 1.0; }, [](const Position&) { return std::array<double, 3>{}; });
    fork_of.steps(50);
    fork_of.step(true);
    fork_of.for_each([](const Position&, const Fluid& fluid) { ASSERT_EQ(fluid, (Fluid{1, {0, 0, 0}})); });
    for (const double in : fork_of.inflow()) EXPECT_EQ(in, 0);
    EXPECT_EQ(fork_of.observation().change_squared, 0);
  }
}

TEST(Conservation, fluid_is_at_rest_until_initialised) {
  LatticeRanks box_of(box(9, 9, 9), 2, {});
  box_of.steps(3);
  box_of.step(true);
  box_of.for_each([](const Position&, const Fluid& fluid) { ASSERT_EQ(fluid, (Fluid{1, {0, 0, 0}})); });
}

TEST(Parameters, are_checked) {
  const ShapeDomains domains(box(4, 4, 4), 1);
  const auto make = [&](const Parameters& p) { lattice::SparseLattice(domains.all()[0], 0, p); };
  EXPECT_THROW(make({.tau = 0.5}), InputError);
  EXPECT_THROW(make({.magic = 0}), InputError);
  EXPECT_NO_THROW(make({.collision = Collision::bgk, .magic = 0}));
  EXPECT_THROW(make({.storage = lattice::Storage::fp16}), InputError);
  EXPECT_THROW(make({.velocities = lattice::VelocitySet::d3q27,
                     .precision = lattice::Precision::fp32,
                     .storage = lattice::Storage::fp16c,
                     .collision = Collision::cumulant,
                     .advection = lattice::Advection::corrected}),
               InputError);
}

}  // namespace
}  // namespace weft::test
