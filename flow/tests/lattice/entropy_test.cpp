// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/entropy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "lattice/detail/velocity_sets.hpp"
#include "tests/support/dense_box.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/lattice_noise.hpp"
#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"

namespace weft::test {
namespace {

using lattice::Entropy;
using lattice::InstructionSet;
using lattice::Precision;
using lattice::VelocitySet;

constexpr double tick = 0x1p-44;

template <class Scalar>
Entropy entropy_of(const std::vector<Scalar>& excess, double weight, InstructionSet set = InstructionSet::best) {
  lattice::detail::EntropySum<Scalar> sum(set);
  sum.add(excess.data(), excess.size(), weight);
  return sum.sum();
}

void expect_equal(const Entropy& a, const Entropy& b, const std::string& what) {
  EXPECT_EQ(a.whole, b.whole) << what;
  EXPECT_EQ(a.ticks, b.ticks) << what;
  EXPECT_EQ(a.undefined, b.undefined) << what;
}

TEST(Entropy, of_one_number_is_the_librarys) {
  for (double ratio = 1e-8; ratio < 10; ratio *= 1.00373)
    for (const double weight : {1.0, 1.0 / 3, 1.0 / 36}) {
      const double excess = ratio * weight - weight, f = excess + weight;
      EXPECT_NEAR(entropy_of(std::vector{excess}, weight).value(), f * std::log(f / weight), tick) << ratio;
    }
  EXPECT_EQ(entropy_of(std::vector{0.0}, 1.0 / 18).value(), 0);
}

TEST(Entropy, has_the_same_bits_with_each_instruction_set_and_in_any_order) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<double> all(10000);
  for (auto& x : all) x = noise(random);
  const std::vector<float> single(all.begin(), all.end());
  const auto expected = entropy_of(all, 1.0 / 18, InstructionSet::generic),
             expected_single = entropy_of(single, 1.0 / 18, InstructionSet::generic);
  EXPECT_NEAR(expected.value(), expected_single.value(), 1e-5);
  for (const auto set : instruction_sets()) {
    const std::string name(name_of(set));
    expect_equal(entropy_of(all, 1.0 / 18, set), expected, name);
    expect_equal(entropy_of(single, 1.0 / 18, set), expected_single, name);
    Entropy parts;
    for (std::size_t end = all.size(), n = 1; end > 0; end -= std::min(end, n), n = n * 3 % 101)
      parts += entropy_of(
          std::vector(all.begin() + std::ptrdiff_t(end - std::min(end, n)), all.begin() + std::ptrdiff_t(end)),
          1.0 / 18, set);
    expect_equal(parts, expected, name + " in parts");
  }
}

TEST(Entropy, of_what_has_none) {
  for (const auto set : instruction_sets())
    for (const double bad : {-0.1001, -1.0, 1e6, std::numeric_limits<double>::quiet_NaN()})
      for (const std::size_t at : {std::size_t{0}, std::size_t{17}, std::size_t{38}}) {
        std::vector<double> x(39, 0.01);
        x[at] = bad;
        EXPECT_TRUE(std::isnan(entropy_of(x, 0.1, set).value())) << bad << ' ' << at;
      }
}

// In even and odd steps; the populations that other ranks receive are counted where they were sent.
TEST(Entropy, of_a_vessel_is_that_of_its_populations_on_any_ranks) {
  for (const auto precision : {Precision::fp64, Precision::fp32})
    for (const auto velocities : {VelocitySet::d3q19, VelocitySet::d3q27})
      for (const auto wall : {lattice::Wall::half_way, lattice::Wall::bouzidi}) {
        const lattice::Parameters p{.velocities = velocities, .precision = precision, .wall = wall};
        const auto& set = lattice::detail::table_of(velocities);
        std::vector<Entropy> expected;
        for (const int number : {1, 3}) {
          LatticeRanks ranks(fork(0.6), number, p, deal_scattered);
          ranks.initialise(noisy_density, noisy_velocity);
          for (std::size_t k = 0; k < 4; ++k) {
            double plain = 0;
            Entropy sum;
            for (const auto& rank : ranks.ranks()) {
              sum += rank.entropy();
              for (std::size_t s = 0; s < rank.sites(); ++s) {
                const auto state = rank.state(s);
                for (std::size_t i = 0; i < set.weight.size(); ++i) {
                  const double f = state.arriving[i] + set.weight[i];
                  plain += f * std::log(f / set.weight[i]);
                }
              }
            }
            EXPECT_NEAR(sum.value(), plain, 1e-9);
            if (number == 1) expected.push_back(sum);
            expect_equal(sum, expected[k], std::to_string(number) + " ranks, step " + std::to_string(k));
            ranks.step();
          }
        }
      }
}

TEST(Entropy, of_a_box_is_that_of_its_populations) {
  for (const auto precision : {Precision::fp64, Precision::fp32})
    for (const auto velocities : {VelocitySet::d2q9, VelocitySet::d3q19})
      for (const bool wraps : {false, true}) {
        const bool flat = velocities == VelocitySet::d2q9;
        const DenseBox::Extent extent = flat ? DenseBox::Extent{6, 19, 1} : DenseBox::Extent{6, 5, 19};
        DenseBox box(extent, {.velocities = velocities, .precision = precision, .wraps_last_axis = wraps});
        box.lattice().initialise([&](const DenseBox::Site& s) {
          const geometry::Position at{int(s[0]), int(s[1]), int(s[2])};
          auto velocity = noisy_velocity(at);
          if (flat) velocity[2] = 0;
          return lattice::DenseLattice::State{noisy_density(at), velocity};
        });
        const auto& weight = lattice::detail::table_of(velocities).weight;
        for (int k = 0; k < 4; ++k) {
          double plain = 0;
          std::size_t i = 0;
          for (const double excess : box.all()) {
            const double w = weight[i++ % weight.size()], f = excess + w;
            plain += f * std::log(f / w);
          }
          EXPECT_NEAR(box.lattice().entropy().value(), plain, 1e-9) << k << wraps;
          box.step();
        }
      }
}

}  // namespace
}  // namespace weft::test
