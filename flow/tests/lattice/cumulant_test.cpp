// SPDX-License-Identifier: BSD-3-Clause
//
// Cumulants, compared with moments that are computed population by population.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>

#include "lattice/dense_lattice.hpp"
#include "lattice/detail/collide_cumulant.hpp"
#include "lattice/detail/rates.hpp"
#include "lattice/velocity_sets.hpp"
#include "weft/error.hpp"

namespace weft::lattice {
namespace {

constexpr double round_off = 4e-15;

template <class Model>
struct Distribution {
  std::array<double, Model::directions> f{};  // f itself, not f - w

  static Distribution noisy() {
    Distribution d;
    for (std::size_t i = 0; i < d.f.size(); ++i)
      d.f[i] = Model::weight[i] *
               (1 + 0.1 * std::sin(1.0 + 7.0 * double(i)) + 0.2 * Model::velocity[i][0] - 0.1 * Model::velocity[i][2]);
    return d;
  }
  double moment(std::array<int, 3> power, const std::array<double, 3>& about = {}) const {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      double product = f[i];
      for (std::size_t d = 0; d < 3; ++d) product *= std::pow(Model::velocity[i][d] - about[d], power[d]);
      sum += product;
    }
    return sum;
  }
  double density() const { return moment({0, 0, 0}); }
  std::array<double, 3> mean() const {
    const double rho = density();
    return {moment({1, 0, 0}) / rho, moment({0, 1, 0}) / rho, moment({0, 0, 1}) / rho};
  }
  /// xx yy zz xy xz yz
  std::array<double, 6> covariance() const {
    const auto u = mean();
    const double rho = density();
    std::array<double, 6> c{};
    constexpr std::array<std::array<int, 3>, 6> powers{
        {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}}};
    for (std::size_t k = 0; k < 6; ++k) c[k] = moment(powers[k], u) / rho;
    return c;
  }
  /// Third cumulants with two axes: xxy xyy xxz xzz yyz yzz.
  std::array<double, 6> third() const {
    const auto u = mean();
    constexpr std::array<std::array<int, 3>, 6> powers{
        {{2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {0, 1, 2}}};
    std::array<double, 6> c{};
    for (std::size_t k = 0; k < 6; ++k) c[k] = moment(powers[k], u) / density();
    return c;
  }
  /// magic 0: a value with which the third order vanishes in one step.
  Distribution collided(double tau, const std::array<double, 3>& force = {}, double magic = 0) const {
    const auto rates =
        detail::rates_of<double>({Collision::cumulant, tau, magic > 0 ? magic : (tau - 0.5) / 2, 0, 0, force});
    double g[Model::directions];
    for (std::size_t i = 0; i < f.size(); ++i) g[i] = f[i] - Model::weight[i];
    const double no_correction[3] = {};
    double velocity[3];
    detail::collide_cumulants<Model, double>(g, rates, no_correction, velocity);
    Distribution d;
    for (std::size_t i = 0; i < f.size(); ++i) d.f[i] = g[i] + Model::weight[i];
    return d;
  }
};

template <class Model>
class Cumulant : public testing::Test {};
using SetsWithCumulants = testing::Types<D3Q19, D3Q27>;
TYPED_TEST_SUITE(Cumulant, SetsWithCumulants);

TYPED_TEST(Cumulant, keep_mass_and_add_the_forces_momentum) {
  const std::array force{1e-3, -2e-3, 3e-3};
  const auto before = Distribution<TypeParam>::noisy();
  const auto after = before.collided(0.6, force);
  EXPECT_NEAR(after.density(), before.density(), round_off);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(after.mean()[d], before.mean()[d] + force[d], round_off);
}

// Geier et al. (2015), eqs. 60 to 69, written out.
TYPED_TEST(Cumulant, of_the_second_order_relax) {
  const double tau = 0.57, rate = 1 / tau;
  const auto before = Distribution<TypeParam>::noisy();
  const auto u = before.mean();
  const auto c = before.covariance(), after = before.collided(tau).covariance();
  const double trace = c[0] + c[1] + c[2] - 1;
  const double dx = -rate / 2 * (2 * c[0] - c[1] - c[2]) - trace / 2, dy = dx + 1.5 * rate * (c[0] - c[1]),
               dz = dx + 1.5 * rate * (c[0] - c[2]);
  const auto squared = [&](std::size_t d) { return u[d] * u[d]; };
  EXPECT_NEAR(after[0] - after[1],
              (1 - rate) * (c[0] - c[1]) - 3 * (1 - rate / 2) * (squared(0) * dx - squared(1) * dy), round_off);
  EXPECT_NEAR(after[0] - after[2],
              (1 - rate) * (c[0] - c[2]) - 3 * (1 - rate / 2) * (squared(0) * dx - squared(2) * dz), round_off);
  EXPECT_NEAR(after[0] + after[1] + after[2], 1 - 3 * 0.5 * (squared(0) * dx + squared(1) * dy + squared(2) * dz),
              round_off);
  for (std::size_t k = 3; k < 6; ++k) EXPECT_NEAR(after[k], (1 - rate) * c[k], round_off);
}

// All cumulants of a Gaussian beyond the covariance are zero: moments by Isserlis' theorem.
TYPED_TEST(Cumulant, beyond_the_second_order_vanish) {
  const auto after = Distribution<TypeParam>::noisy().collided(0.53);
  const auto u = after.mean();
  const auto c = after.covariance();
  const double rho = after.density();
  // Raw moments of third order with two axes, which both velocity sets have: E[x^2 y] = E[x^2] u_y + 2 C_xy u_x.
  constexpr std::size_t pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto [a, b] = std::pair{pairs[k][0], pairs[k][1]};
    std::array<int, 3> aab{}, abb{}, aabb{};
    aab[a] = 2, aab[b] = 1, abb[a] = 1, abb[b] = 2, aabb[a] = aabb[b] = 2;
    const double aa = c[a] + u[a] * u[a], bb = c[b] + u[b] * u[b], ab = c[3 + k];
    EXPECT_NEAR(after.moment(aab) / rho, aa * u[b] + 2 * ab * u[a], round_off) << k;
    EXPECT_NEAR(after.moment(abb) / rho, bb * u[a] + 2 * ab * u[b], round_off) << k;
    EXPECT_NEAR(after.moment(aabb) / rho, aa * bb + 4 * u[a] * u[b] * ab + 2 * ab * ab, round_off) << k;
  }
  if constexpr (TypeParam::directions == 27) {
    const double xx = c[0], yy = c[1], zz = c[2], xy = c[3], xz = c[4], yz = c[5];
    const auto central = [&](std::array<int, 3> power) { return after.moment(power, u) / rho; };
    EXPECT_NEAR(central({1, 1, 1}), 0, round_off);
    EXPECT_NEAR(central({2, 1, 1}), xx * yz + 2 * xy * xz, round_off);
    EXPECT_NEAR(central({1, 2, 1}), yy * xz + 2 * xy * yz, round_off);
    EXPECT_NEAR(central({1, 1, 2}), zz * xy + 2 * xz * yz, round_off);
    EXPECT_NEAR(central({2, 2, 1}), 0, round_off);
    EXPECT_NEAR(central({2, 1, 2}), 0, round_off);
    EXPECT_NEAR(central({1, 2, 2}), 0, round_off);
    EXPECT_NEAR(central({2, 2, 2}), xx * yy * zz + 2 * (xx * yz * yz + yy * xz * xz + zz * xy * xy) + 8 * xy * xz * yz,
                round_off);
  }
}

// Small ones relax by the magic number; large ones are damped.
TYPED_TEST(Cumulant, of_the_third_order_are_limited) {
  const double tau = 0.53, magic = 3.0 / 16, keep = 1 - 1 / (magic / (tau - 0.5) + 0.5),
               limit = TypeParam::directions == 27 ? 0.01 : 0.001;
  for (const double strength : {1.0, 1e-3}) {
    auto before = Distribution<TypeParam>::noisy();
    for (std::size_t i = 0; i < before.f.size(); ++i)
      before.f[i] = TypeParam::weight[i] + strength * (before.f[i] - TypeParam::weight[i]);
    double size = 0;
    for (const double c : before.third()) size += std::abs(c);
    const auto after = before.collided(tau, {}, magic).third(), was = before.third();
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(after[k], was[k] * keep * limit / (limit + size), round_off) << strength;
    EXPECT_EQ(size > limit / 2, strength == 1.0) << size;
  }
}

// Central moments are sums over partitions into blocks of two and three.
TEST(CumulantOfD3Q27, beyond_the_third_order_vanish) {
  const auto before = Distribution<D3Q27>::noisy();
  const auto after = before.collided(0.8, {}, 3.0 / 16);
  const auto c = after.covariance();
  const auto central = [&](const Distribution<D3Q27>& d, std::array<int, 3> power) {
    return d.moment(power, d.mean()) / d.density();
  };
  const auto t = after.third();
  const double xx = c[0], yy = c[1], zz = c[2], xy = c[3], xz = c[4], yz = c[5], xxy = t[0], xyy = t[1], xxz = t[2],
               xzz = t[3], yyz = t[4], yzz = t[5], xyz = central(after, {1, 1, 1});
  double size = 0;
  for (const double cumulant : before.third()) size += std::abs(cumulant);
  const double keep = (1 - 1 / (3.0 / 16 / 0.3 + 0.5)) * 0.01 / (0.01 + size);
  EXPECT_NEAR(xyz, keep * central(before, {1, 1, 1}), round_off);
  EXPECT_GT(std::abs(xyz), 1e-6);
  EXPECT_NEAR(central(after, {2, 2, 0}), xx * yy + 2 * xy * xy, round_off);
  EXPECT_NEAR(central(after, {1, 2, 1}), yy * xz + 2 * xy * yz, round_off);
  EXPECT_NEAR(central(after, {1, 2, 2}), zz * xyy + yy * xzz + 2 * xy * yzz + 2 * xz * yyz + 4 * yz * xyz, round_off);
  EXPECT_NEAR(central(after, {2, 1, 2}), zz * xxy + xx * yzz + 2 * xy * xzz + 2 * yz * xxz + 4 * xz * xyz, round_off);
  EXPECT_NEAR(central(after, {2, 2, 1}), yy * xxz + xx * yyz + 2 * xz * xyy + 2 * yz * xxy + 4 * xy * xyz, round_off);
  EXPECT_NEAR(central(after, {2, 2, 2}),
              xx * yy * zz + 2 * (xx * yz * yz + yy * xz * xz + zz * xy * xy) + 8 * xy * xz * yz + 4 * xyz * xyz +
                  2 * (xxy * yzz + xxz * yyz + xyy * xzz),
              round_off);
}

TYPED_TEST(Cumulant, rest_stays_at_rest) {
  Distribution<TypeParam> rest;
  for (std::size_t i = 0; i < rest.f.size(); ++i) rest.f[i] = 1.1 * TypeParam::weight[i];
  const auto after = rest.collided(0.51);
  for (std::size_t i = 0; i < rest.f.size(); ++i) EXPECT_NEAR(after.f[i], rest.f[i], 1e-16);
}

TEST(CumulantSets, the_others_have_too_few_velocities) {
  for (const auto set : {VelocitySet::d2q9, VelocitySet::d3q15})
    EXPECT_THROW(DenseLattice({4, 4, 1}, {.velocities = set, .collision = Collision::cumulant}), InputError);
}

}  // namespace
}  // namespace weft::lattice
