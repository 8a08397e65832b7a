// SPDX-License-Identifier: BSD-3-Clause
//
// Fluids whose viscosity depends on the shear rate, in a channel with half-way walls. The stress grows linearly from
// the middle, so the shear rate at each position is known, and its integral is the exact profile.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "tests/support/instruction_sets.hpp"
#include "tests/support/lattice_noise.hpp"
#include "tests/support/lattice_periodic.hpp"
#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"

namespace weft::test {
namespace {

using lattice::Collision;
using lattice::InstructionSet;
using lattice::Parameters;
using lattice::Precision;
using lattice::VelocitySet;
using Viscosity = std::function<double(double)>;

/// The shear rate whose product with the viscosity is the stress.
double shear_of(const Viscosity& viscosity, double stress) {
  double low = 0, high = 1;
  for (int k = 0; k < 200; ++k) {
    const double middle = (low + high) / 2;
    (viscosity(middle) * middle < stress ? low : high) = middle;
  }
  return high;
}

/// Speed at a distance z from one of two walls, `height` apart, under a force per unit of mass.
double exact_speed(const Viscosity& viscosity, double force, double height, double z) {
  const double to = std::min(z, height - z);
  constexpr int parts = 400;
  double sum = 0;
  for (int k = 0; k < parts; ++k)
    sum += shear_of(viscosity, force * (height / 2 - to * (k + 0.5) / parts)) * to / parts;
  return sum;
}

double error_of(int n, const Viscosity& viscosity, double force, Parameters p) {
  p.viscosity = viscosity;
  p.force = {force, 0, 0};
  PeriodicLattice flow({8, 8, n}, {true, true, false}, p);
  std::vector<double> exact;
  for (int z = 0; z < n; ++z) exact.push_back(exact_speed(viscosity, force, n, z + 0.5));
  flow.initialise([](const Position&) { return 1.0; },
                  [&](const Position& at) {
                    return std::array<double, 3>{exact[std::size_t(at[2])], 0, 0};
                  });
  const double nu = viscosity(shear_of(viscosity, force * n / 4));
  for (int k = 0; k < int(2 * n * n / nu); ++k) flow.step();
  flow.step(true);
  double wrong = 0, all = 0;
  flow.for_each([&](const Position& at, double, const std::array<double, 3>& u) {
    wrong += std::pow(u[0] - exact[std::size_t(at[2])], 2) + u[1] * u[1] + u[2] * u[2];
    all += std::pow(exact[std::size_t(at[2])], 2);
  });
  return std::sqrt(wrong / all);
}

struct Rheology {
  const char* name;
  /// By shear rate, both in units of the channel: about 1 are the viscosity and the shear rate at its wall.
  Viscosity viscosity;
};

class ShearedChannel : public testing::TestWithParam<Rheology> {};

TEST_P(ShearedChannel, profile_converges_with_the_square_of_the_width) {
  const auto run = [&](int n) {
    const double nu = 0.1, shear = 0.4 / n / n, force = 2 * nu * shear / n;  // diffusive scaling
    return error_of(n, [=, f = GetParam().viscosity](double rate) { return nu * f(rate / shear); }, force, {});
  };
  const double coarse = run(8), middle = run(16), fine = run(24);
  const double order = std::log(coarse / fine) / std::log(3.0);
  RecordProperty("orders", std::to_string(std::log2(coarse / middle)) + " " + std::to_string(order));
  RecordProperty("error", std::to_string(fine));
  EXPECT_GT(order, 1.6);
  EXPECT_LT(fine, 0.01);
}

INSTANTIATE_TEST_SUITE_P(
    Fluids, ShearedChannel,
    testing::Values(
        Rheology{"CarreauYasuda", [](double s) { return 0.5 + 2.5 * std::pow(1 + std::pow(4 * s, 2.0), -0.4); }},
        Rheology{"Casson",
                 [](double s) {
                   const double root = std::sqrt(0.2 / std::max(s, 1e-12)) + std::sqrt(0.5);
                   return std::min(root * root, 8.0);
                 }},
        Rheology{"PowerLaw", [](double s) { return std::clamp(std::pow(std::max(s, 1e-12), -0.3), 0.1, 6.0); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(LocalRates, of_a_constant_viscosity_are_the_usual_ones) {
  for (const auto collision :
       {Collision::bgk, Collision::trt, Collision::mrt, Collision::regularised, Collision::cumulant})
    for (const auto precision : {Precision::fp64, Precision::fp32}) {
      Parameters p{.velocities = VelocitySet::d3q27,
                   .precision = precision,
                   .collision = collision,
                   .tau = 0.8,
                   .force = {1e-5, 2e-5, 0}};
      LatticeRanks usual(fork(0.5), 1, p);
      p.viscosity = [](double) { return 0.1; };
      p.tau = 5;
      LatticeRanks local(fork(0.5), 1, p);
      for (auto* ranks : {&usual, &local}) {
        ranks->initialise(noisy_density, noisy_velocity);
        ranks->set_opening(0, {lattice::OpeningState::Kind::velocity, 1, 0.01});
        ranks->steps(20);
        ranks->step(true);
      }
      const auto expected = usual.fields();
      const double near = precision == Precision::fp64 ? 1e-12 : 1e-5;
      for (const auto& [id, fluid] : local.fields()) {
        ASSERT_NEAR(fluid.density, expected.at(id).density, near);
        for (std::size_t d = 0; d < 3; ++d) ASSERT_NEAR(fluid.velocity[d], expected.at(id).velocity[d], near);
      }
    }
}

TEST(LocalRates, same_bits_with_each_instruction_set_and_on_any_ranks) {
  const auto run = [](InstructionSet set, int ranks) {
    const Parameters p{.viscosity = [](double s) { return 0.02 + 0.1 / (1 + 300 * s); }, .instruction_set = set};
    LatticeRanks flow(fork(0.6), ranks, p, deal_scattered);
    flow.initialise(noisy_density, noisy_velocity);
    flow.steps(20);
    flow.step(true);
    return flow.fields();
  };
  const auto expected = run(InstructionSet::generic, 1);
  for (const auto set : wide_instruction_sets()) EXPECT_EQ(run(set, 3), expected) << name_of(set);
}

}  // namespace
}  // namespace weft::test
