// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/instruction_sets.hpp"
#include "tests/support/lattice_noise.hpp"
#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"

namespace weft::test {

namespace {

TEST(Observation, is_what_the_fields_say) {
  for (const auto set : {lattice::InstructionSet::generic, lattice::InstructionSet::best}) {
    LatticeRanks ranks(fork(0.6), 3, {.instruction_set = set});
    ranks.initialise(noisy_density, noisy_velocity);
    ranks.steps(3);
    ranks.step(true);
    const auto old = ranks.fields();
    ranks.steps(4);
    ranks.step(true, 13);
    const auto now = ranks.fields();
    lattice::Observation expected{2, 0, 0, 0, 0, 0, 0, -1};
    for (const auto& [id, fluid] : now) {
      const auto& u = fluid.velocity;
      const auto& v = old.at(id).velocity;
      const double speed = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
      expected.lowest_density = std::min(expected.lowest_density, fluid.density);
      expected.highest_density = std::max(expected.highest_density, fluid.density);
      expected.highest_speed_squared = std::max(expected.highest_speed_squared, speed);
      expected.mass += fluid.density;
      expected.speed_squared += speed;
      for (std::size_t d = 0; d < 3; ++d)
        expected.change_squared += std::pow(double(float(u[d])) - double(float(v[d])), 2);
    }
    const auto seen = ranks.observation();
    EXPECT_EQ(seen.lowest_density, expected.lowest_density);
    EXPECT_EQ(seen.highest_density, expected.highest_density);
    EXPECT_EQ(seen.highest_speed_squared, expected.highest_speed_squared);
    EXPECT_NEAR(seen.mass, expected.mass, 1e-12 * expected.mass);
    EXPECT_NEAR(seen.speed_squared, expected.speed_squared, 1e-12 * expected.speed_squared);
    EXPECT_NEAR(seen.change_squared, expected.change_squared, 1e-12 * expected.change_squared);
    EXPECT_EQ(seen.bad_site, -1);
    EXPECT_GT(seen.lowest_population, 0);
    EXPECT_LT(seen.lowest_population, 1.0 / 36);
  }
}

// A run that goes on from a checkpoint samples its last step in another way.
TEST(Observation, has_the_same_mass_however_it_is_sampled) {
  using lattice::Diagnostics;
  std::vector<double> masses;
  for (const auto set : {lattice::InstructionSet::generic, lattice::InstructionSet::best})
    for (const auto what : {Diagnostics::totals, Diagnostics::change, Diagnostics::fields}) {
      LatticeRanks ranks(fork(0.6), 2, {.instruction_set = set});
      ranks.initialise(noisy_density, noisy_velocity);
      for (std::size_t step = 0; step < 4; ++step) {
        ranks.step(what, 13);
        if (masses.size() < 4) masses.push_back(ranks.observation().mass);
        EXPECT_EQ(ranks.observation().mass, masses[step]);
      }
    }
}

TEST(Observation, has_the_densities_of_watched_sites) {
  using lattice::Diagnostics;
  for (const auto set : instruction_sets())
    for (const auto precision : {lattice::Precision::fp64, lattice::Precision::fp32}) {
      LatticeRanks ranks(fork(0.6), 2, {.precision = precision, .instruction_set = set});
      ranks.initialise(noisy_density, noisy_velocity);
      std::vector<std::vector<std::uint32_t>> some(2);
      for (std::size_t r = 0; r < 2; ++r) {
        for (std::uint32_t k = 0; k < ranks.domains()[r].sites.size(); k += 3 + k % 40) some[r].push_back(k);
        EXPECT_EQ(ranks.ranks()[r].watch(std::array<std::uint32_t, 2>{5, 1}), 0U);
        EXPECT_EQ(ranks.ranks()[r].watch(some[r]), 1U);
      }
      for (const auto what : {Diagnostics::totals, Diagnostics::nothing, Diagnostics::totals, Diagnostics::totals,
                              Diagnostics::change, Diagnostics::fields, Diagnostics::totals}) {
        std::vector<std::vector<double>> expected(2), before(2);
        for (std::size_t r = 0; r < 2; ++r) {
          const auto& lattice = ranks.ranks()[r];
          expected[r].resize(some[r].size());
          before[r].resize(some[r].size());
          lattice.density(some[r], expected[r]);
          lattice.seen_density(1, before[r]);
          for (std::size_t k = 0; k < some[r].size(); ++k)
            EXPECT_EQ(expected[r][k], lattice.moments(some[r][k]).density);
        }
        ranks.step(what, 13);
        for (std::size_t r = 0; r < 2; ++r) {
          const auto& lattice = ranks.ranks()[r];
          std::vector<double> seen(some[r].size());
          lattice.seen_density(1, seen);
          const auto fields = lattice.density();
          for (std::size_t k = 0; k < seen.size(); ++k) {
            if (what == Diagnostics::nothing)
              EXPECT_EQ(seen[k], before[r][k]);
            else if (what == Diagnostics::fields)
              EXPECT_EQ(seen[k], fields[some[r][k]]);
            else  // the order of the sum differs
              EXPECT_NEAR(
                  seen[k],
                  lattice.is_at_opening(some[r][k]) ? lattice.opening_moments(some[r][k]).density : expected[r][k],
                  precision == lattice::Precision::fp64 ? 1e-15 : 1e-6);
          }
        }
      }
    }
}

/// The populations that arrive at one site are bad. Returns the reported site after some steps, in which they have
/// spread: the one with the smallest number.
std::int64_t bad_site_of(double density, double speed, const Position& where, int ranks, int steps) {
  LatticeRanks box_of(box(20, 11, 11), ranks, {});
  box_of.initialise([&](const Position& p) { return p == where ? density : 1.0; },
                    [&](const Position& p) {
                      return std::array<double, 3>{p == where ? speed : 0, 0, 0};
                    });
  box_of.steps(steps);
  box_of.step(true);
  const auto id = box_of.observation().bad_site;
  return id < 0 ? id : id - box_of.domains()[0].grid.site_id(where);
}

TEST(Observation, names_the_first_bad_site) {
  const Position where{7, 5, 5};
  constexpr std::int64_t below = -20 * 11;  // the neighbour below with the smallest number: its y or x is also one less
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int ranks : {1, 4}) {
    for (const auto& [density, speed] :
         {std::pair{nan, 0.0}, {-1.0, 0.0}, {1.0, 0.9}}) {  // at this speed 1 - 3/2 u^2 is negative
      EXPECT_EQ(bad_site_of(density, speed, where, ranks, 0), 0);
      EXPECT_EQ(bad_site_of(density, speed, where, ranks, 1), below - 20);
    }
    EXPECT_EQ(bad_site_of(1, 0.1, where, ranks, 1), -1);
  }
}

TEST(Observation, stays_until_the_next_observed_step) {
  LatticeRanks box_of(box(9, 9, 9), 2, {});
  box_of.initialise(noisy_density, noisy_velocity);
  box_of.step(true);
  const auto fields = box_of.fields();
  const double mass = box_of.observation().mass;
  box_of.steps(5);
  EXPECT_EQ(box_of.fields(), fields);
  EXPECT_EQ(box_of.observation().mass, mass);
}

}  // namespace

namespace {

TEST(Memory, is_at_most_a_quarter_more_than_the_populations) {
  LatticeRanks vessel(tube(40.3, 100), 1, {});
  auto& lattice = vessel.ranks().front();
  vessel.initialise([](const Position&) { return 1.0; }, [](const Position&) { return std::array<double, 3>{}; });
  vessel.steps(1);
  const auto populations = double(lattice.sites() * lattice.directions() * sizeof(double));
  EXPECT_GT(lattice.sites(), 490'000U);
  EXPECT_LT(double(lattice.bytes()), 1.25 * populations);
  // The memory of the fields is included.
  const auto before = lattice.bytes();
  vessel.step(true);
  EXPECT_NEAR(double(lattice.bytes() - before) / double(lattice.sites()), 32 - 12, 0.1);
}

}  // namespace

}  // namespace weft::test
