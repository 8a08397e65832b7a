// SPDX-License-Identifier: BSD-3-Clause
//
// Bitwise identity: the number of ranks, the owners of the blocks, the parts of the interior, observation of a step and
// the instruction set never change a result.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/support/instruction_sets.hpp"
#include "tests/support/lattice_noise.hpp"
#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"

namespace weft::test {
namespace {

using lattice::Collision;
using lattice::InstructionSet;
using lattice::OpeningState;
using lattice::Parameters;
using Fields = std::map<std::int64_t, Fluid>;

struct Way {
  int ranks = 1;
  Deal deal = deal_in_turn;
  std::size_t cut = SIZE_MAX;
  int observe_every = 0;
  std::vector<lattice::Kernel> kernels{};  ///< one after the other, by step
};

Shape vessel() { return fork(0.75); }

Fields run(const Parameters& parameters, const Way& way, int steps = 30) {
  LatticeRanks ranks(vessel(), way.ranks, parameters, way.deal);
  ranks.initialise(noisy_density, noisy_velocity);
  for (int k = 0; k < steps; ++k) {
    ranks.set_opening(0, {OpeningState::Kind::velocity, 1, 0.02 * std::sin(0.1 * k)});
    ranks.set_opening(1, {OpeningState::Kind::pressure, 1 + 0.001 * std::cos(0.1 * k), 0, true});
    ranks.set_opening(2, {OpeningState::Kind::pressure, 0.999, 0});
    if (!way.kernels.empty()) ranks.use(way.kernels[std::size_t(k) % way.kernels.size()]);
    ranks.step(way.observe_every != 0 && k % way.observe_every == 0, way.cut);
  }
  ranks.step(true, way.cut);
  return ranks.fields();
}

/// All blocks at the foot on rank 0, so that the others have no inlet; columns of blocks for the rest.
int deal_foot(std::int64_t block, int ranks) {
  return block < 40 ? 0 : int(1 + block % std::max(1, ranks - 1)) % ranks;
}

class Identity : public testing::TestWithParam<Parameters> {
 protected:
  Parameters parameters = GetParam();
};

TEST_P(Identity, on_any_ranks_and_partition) {
  const Fields expected = run(parameters, {});
  ASSERT_GT(expected.size(), 2000U);
  for (int ranks = 2; ranks <= 4; ++ranks)
    for (const auto& deal : {Deal(deal_in_turn), Deal(deal_scattered), Deal(deal_foot)})
      EXPECT_EQ(run(parameters, {.ranks = ranks, .deal = deal}), expected) << ranks << " ranks";
}

// Sums in floats differ in their last digits, since they depend on the order.
TEST_P(Identity, what_enters_through_openings) {
  std::vector<std::vector<std::int64_t>> expected;
  for (const int number : {1, 2, 3, 4}) {
    LatticeRanks ranks(vessel(), number, parameters, deal_scattered);
    ranks.initialise(noisy_density, noisy_velocity);
    ranks.set_opening(0, {OpeningState::Kind::velocity, 1, 0.02});
    ranks.set_opening(1, {OpeningState::Kind::pressure, 1.001, 0, true});
    for (std::size_t k = 0; k < 20; ++k) {
      ranks.step(false, 100);
      const auto ticks = ranks.inflow_ticks();
      if (number == 1) expected.push_back(ticks);
      ASSERT_EQ(ticks, expected[k]) << number << " ranks, step " << k;
      for (std::size_t o = 0; o < ticks.size(); ++o) ASSERT_NEAR(double(ticks[o]) * 0x1p-48, ranks.inflow()[o], 1e-12);
    }
    EXPECT_NE(expected.back()[0], 0);
  }
}

TEST_P(Identity, from_a_state_of_other_ranks) {
  const auto set = [](LatticeRanks& ranks) {
    ranks.set_opening(0, {OpeningState::Kind::velocity, 1, 0.02});
    ranks.set_opening(1, {OpeningState::Kind::pressure, 1.001, 0, true});
  };
  LatticeRanks whole(vessel(), 2, parameters), rest(vessel(), 3, parameters, deal_scattered);
  whole.initialise(noisy_density, noisy_velocity);
  set(whole);
  for (int k = 0; k < 13; ++k) whole.step(k == 5);
  rest.restore(whole);
  set(rest);
  EXPECT_EQ(rest.fields(), whole.fields());  // the fields observed before
  for (auto* ranks : {&whole, &rest}) {
    ranks->steps(6);
    ranks->step(true);
  }
  EXPECT_EQ(rest.fields(), whole.fields());
  EXPECT_NEAR(rest.observation().change_squared / whole.observation().change_squared, 1, 1e-10);
}

TEST_P(Identity, with_a_rank_that_holds_nothing) {
  EXPECT_EQ(run(parameters, {.ranks = 3, .deal = [](std::int64_t block, int) { return block % 2 == 0 ? 0 : 2; }}),
            run(parameters, {}));
}

TEST_P(Identity, in_any_cut_of_the_interior) {
  const Fields expected = run(parameters, {});
  for (const std::size_t cut : {1U, 3U, 8U, 29U, 1000U}) EXPECT_EQ(run(parameters, {.cut = cut}), expected) << cut;
  EXPECT_EQ(run(parameters, {.ranks = 3, .deal = deal_scattered, .cut = 17}), expected);
}

TEST_P(Identity, observed_or_not) {
  const Fields expected = run(parameters, {});
  EXPECT_EQ(run(parameters, {.observe_every = 1}), expected);
  EXPECT_EQ(run(parameters, {.ranks = 4, .cut = 50, .observe_every = 3}), expected);
}

TEST_P(Identity, with_each_instruction_set) {
  for (const auto& force : {std::array<double, 3>{}, std::array<double, 3>{1e-5, 2e-5, -1e-5}}) {
    parameters.force = force;
    parameters.instruction_set = InstructionSet::generic;
    const Fields expected = run(parameters, {});
    for (const auto set : wide_instruction_sets()) {
      parameters.instruction_set = set;
      EXPECT_EQ(run(parameters, {}), expected) << int(set);
      EXPECT_EQ(run(parameters, {.ranks = 2, .cut = 11, .observe_every = 2}), expected) << int(set);
    }
  }
}

TEST_P(Identity, whichever_kernel_a_step_has) {
  std::vector<lattice::Kernel> all{{InstructionSet::generic, 0}};
  for (const auto& name : lattice::kernel_names()) all.push_back(lattice::kernel_named(name));
  const Fields expected = run(parameters, {});
  EXPECT_EQ(run(parameters, {.kernels = all}), expected);
  EXPECT_EQ(run(parameters, {.ranks = 2, .cut = 11, .observe_every = 2, .kernels = all}), expected);
}

TEST(Kernels, have_names) {
  EXPECT_EQ(lattice::kernel_named(lattice::kernel_names().at(0)).prefetch, lattice::Kernel().prefetch);
  EXPECT_THROW(lattice::kernel_named("avx2-511"), InputError);
}

using lattice::Precision;
using lattice::Storage;
using lattice::VelocitySet;

std::string name_of(const testing::TestParamInfo<Parameters>& info) {
  const auto& p = info.param;
  return std::string(std::array{"D2Q9", "D3Q15", "D3Q19", "D3Q27"}[std::size_t(p.velocities)]) +
         std::array{"Bgk", "Trt", "Mrt", "Regularised", "Cumulant"}[std::size_t(p.collision)] +
         (p.precision == Precision::fp64 ? "Fp64" : "Fp32") +
         std::array{"", "In16Bits", "In16cBits"}[std::size_t(p.storage)] + (p.incompressible ? "Incompressible" : "") +
         (p.advection == lattice::Advection::corrected ? "Corrected" : "");
}

INSTANTIATE_TEST_SUITE_P(
    Models, Identity,
    testing::Values(
        Parameters{.collision = Collision::bgk, .tau = 0.7}, Parameters{.collision = Collision::trt, .tau = 0.7},
        Parameters{.precision = Precision::fp32, .collision = Collision::trt, .tau = 0.7},
        Parameters{.precision = Precision::fp32, .storage = Storage::fp16, .collision = Collision::trt, .tau = 0.7},
        Parameters{.precision = Precision::fp32,
                   .storage = Storage::fp16c,
                   .collision = Collision::cumulant,
                   .tau = 0.6,
                   .wall = lattice::Wall::bouzidi},
        Parameters{.velocities = VelocitySet::d3q15, .collision = Collision::mrt, .tau = 0.7},
        Parameters{.velocities = VelocitySet::d3q27, .collision = Collision::regularised, .tau = 0.7},
        Parameters{
            .velocities = VelocitySet::d3q27, .precision = Precision::fp32, .collision = Collision::mrt, .tau = 0.7},
        Parameters{
            .collision = Collision::cumulant, .tau = 0.52, .wall = lattice::Wall::bouzidi, .sponge = {.length = 3.5}},
        Parameters{.collision = Collision::cumulant, .tau = 0.6, .incompressible = true},
        Parameters{.velocities = VelocitySet::d3q15,
                   .precision = Precision::fp32,
                   .collision = Collision::trt,
                   .tau = 0.6,
                   .wall = lattice::Wall::bouzidi},
        Parameters{.velocities = VelocitySet::d3q27,
                   .collision = Collision::cumulant,
                   .tau = 0.6,
                   .wall = lattice::Wall::bouzidi},
        Parameters{.velocities = VelocitySet::d3q27,
                   .collision = Collision::cumulant,
                   .tau = 0.6,
                   .wall = lattice::Wall::bouzidi,
                   .advection = lattice::Advection::corrected},
        Parameters{.velocities = VelocitySet::d3q27,
                   .precision = Precision::fp32,
                   .collision = Collision::cumulant,
                   .tau = 0.7,
                   .advection = lattice::Advection::corrected}),
    name_of);

// With Bouzidi walls the two directions may have different numbers of values; LatticeRanks compares the sizes at both
// ends.
TEST(Peers, both_ends_list_the_same_values) {
  LatticeRanks ranks(vessel(), 4, {}, deal_scattered);
  for (int r = 0; r < 4; ++r) {
    int before = -1;
    for (const auto& peer : ranks.ranks()[std::size_t(r)].peers()) {
      EXPECT_GT(peer.rank, before);
      before = peer.rank;
      EXPECT_NE(peer.rank, r);
      EXPECT_EQ(peer.outgoing.size(), peer.incoming.size());
    }
  }
}

}  // namespace
}  // namespace weft::test
