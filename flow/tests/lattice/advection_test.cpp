// SPDX-License-Identifier: BSD-3-Clause
//
// The correction of advection: its formula, and that it is applied.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/support/lattice_noise.hpp"
#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"
#include "weft/error.hpp"

namespace weft::test {
namespace {

using lattice::Advection;
using lattice::Collision;
using lattice::OpeningState;
using lattice::Parameters;
using lattice::VelocitySet;

Parameters corrected() {
  return {.velocities = VelocitySet::d3q27,
          .collision = Collision::cumulant,
          .tau = 0.55,
          .wall = lattice::Wall::bouzidi,
          .advection = Advection::corrected};
}

void set_openings(LatticeRanks& ranks) {
  ranks.set_opening(0, {OpeningState::Kind::velocity, 1, 0.02});
  ranks.set_opening(1, {OpeningState::Kind::pressure, 1.001, 0, true});
}

// From the velocities of the last step; at missing neighbours they are extrapolated linearly.
TEST(Advection, is_corrected_by_second_differences_of_the_squared_velocity) {
  LatticeRanks ranks(fork(0.75), 3, corrected(), deal_scattered);
  ranks.initialise(noisy_density, noisy_velocity);
  set_openings(ranks);
  for (int k = 0; k < 4; ++k) {
    ranks.step(true);
    const auto fields = ranks.fields();
    std::size_t whole = 0, one_sided = 0;
    for (std::size_t r = 0; r < 3; ++r) {
      const auto& domain = ranks.domains()[r];
      for (std::size_t s = 0; s < domain.sites.size(); ++s) {
        const auto correction = ranks.ranks()[r].state(s).correction;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const auto at = [&](int step) {
            auto p = domain.sites[s];
            p[axis] += step;
            const auto found = fields.find(domain.grid.site_id(p));
            return found == fields.end() ? std::nan("") : found->second.velocity[axis];
          };
          const double u = at(0);
          double before = at(-1), after = at(1);
          ++(std::isnan(before) || std::isnan(after) ? one_sided : whole);
          if (std::isnan(before)) before = std::isnan(after) ? u : 2 * u - after;
          if (std::isnan(after)) after = 2 * u - before;
          const double expected = -(after * after - 2 * u * u + before * before) / 12;
          ASSERT_NEAR(correction[axis], expected, 1e-8) << "step " << k << ", site " << s << ", axis " << axis;
        }
      }
    }
    EXPECT_GT(whole, 4000U);
    EXPECT_GT(one_sided, 500U);
  }
}

TEST(Advection, changes_the_flow_by_little) {
  const auto run = [](Advection advection) {
    auto parameters = corrected();
    parameters.advection = advection;
    LatticeRanks ranks(fork(0.75), 1, parameters);
    ranks.initialise(noisy_density, noisy_velocity);
    set_openings(ranks);
    ranks.steps(30);
    ranks.step(true);
    return ranks.fields();
  };
  const auto plain = run(Advection::plain), with = run(Advection::corrected);
  double difference = 0, size = 0;
  for (const auto& [id, fluid] : plain)
    for (std::size_t d = 0; d < 3; ++d) {
      difference += std::pow(fluid.velocity[d] - with.at(id).velocity[d], 2);
      size += std::pow(fluid.velocity[d], 2);
    }
  EXPECT_GT(difference, 1e-10 * size);
  EXPECT_LT(difference, 1e-2 * size);
}

TEST(Advection, is_plain_in_other_lattices) {
  auto parameters = corrected();
  parameters.velocities = VelocitySet::d3q19;
  EXPECT_THROW(LatticeRanks(fork(0.75), 1, parameters), InputError);
  parameters = corrected();
  parameters.collision = Collision::trt;
  EXPECT_THROW(LatticeRanks(fork(0.75), 1, parameters), InputError);
}

}  // namespace
}  // namespace weft::test
