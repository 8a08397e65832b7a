// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "lattice/collision.hpp"
#include "lattice/d3q19.hpp"

namespace weft::lattice {
namespace {

constexpr double tiny = 1e-15;
constexpr Relaxation no_force{1 / 0.7, 1 / 0.7, {0, 0, 0}};

double c(int i, int d) { return D3Q19::velocity[std::size_t(i)][std::size_t(d)]; }
double w(int i) { return D3Q19::weight[std::size_t(i)]; }

TEST(D3Q19, OppositesFollowEachOther) {
  for (int i = 0; i < 19; ++i) {
    EXPECT_EQ(D3Q19::opposite(D3Q19::opposite(i)), i);
    EXPECT_EQ(w(D3Q19::opposite(i)), w(i));
    for (int d = 0; d < 3; ++d) EXPECT_EQ(c(D3Q19::opposite(i), d), -c(i, d));
  }
}

TEST(D3Q19, WeightsAreIsotropicToFourthOrder) {
  const auto delta = [](int a, int b) { return a == b ? 1.0 : 0.0; };
  double sum = 0;
  for (int i = 0; i < 19; ++i) sum += w(i);
  EXPECT_NEAR(sum, 1, tiny);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      double second = 0;
      for (int i = 0; i < 19; ++i) second += w(i) * c(i, a) * c(i, b);
      EXPECT_NEAR(second, delta(a, b) / 3, tiny);
      for (int e = 0; e < 3; ++e)
        for (int g = 0; g < 3; ++g) {
          double fourth = 0;
          for (int i = 0; i < 19; ++i) fourth += w(i) * c(i, a) * c(i, b) * c(i, e) * c(i, g);
          EXPECT_NEAR(fourth, (delta(a, b) * delta(e, g) + delta(a, e) * delta(b, g) + delta(a, g) * delta(b, e)) / 9, tiny);
        }
    }
}

TEST(Equilibrium, HasTheMomentsOfItsFluid) {
  const Moments<double> fluid{1.03, {0.05, -0.02, 0.07}};
  double f[19];
  equilibrium<D3Q19>(fluid, f);
  const auto m = moments<D3Q19, false>(f, no_force);
  EXPECT_NEAR(m.density, fluid.density, tiny * 2);
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(m.velocity[a], fluid.velocity[a], tiny);
    for (int b = 0; b < 3; ++b) {
      double stress = 0;
      for (int i = 0; i < 19; ++i) stress += f[i] * c(i, a) * c(i, b);
      const double expected = fluid.density * ((a == b ? 1.0 / 3 : 0) + fluid.velocity[a] * fluid.velocity[b]);
      EXPECT_NEAR(stress, expected, tiny);
    }
  }
}

TEST(Equilibrium, IsTheTextbookFormula) {
  const Moments<double> fluid{0.98, {-0.04, 0.01, 0.03}};
  const auto& u = fluid.velocity;
  double f[19];
  equilibrium<D3Q19>(fluid, f);
  for (int i = 0; i < 19; ++i) {
    const double cu = c(i, 0) * u[0] + c(i, 1) * u[1] + c(i, 2) * u[2], uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    EXPECT_NEAR(f[i], w(i) * fluid.density * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu), tiny);
  }
}

TEST(Moments, OfRestAreExact) {
  double f[19];
  for (int i = 0; i < 19; ++i) f[i] = w(i);
  const auto m = moments<D3Q19, false>(f, no_force);
  EXPECT_EQ(m.density, 1);
  for (const double u : m.velocity) EXPECT_EQ(u, 0);
}

class Collide : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 19; ++i) f[i] = w(i) * (1 + 0.1 * std::sin(1.0 + 7.0 * i));
  }
  template <bool forced, template <class, bool> class Operator>
  Moments<double> after(const Relaxation& relaxation, double (&g)[19]) {
    std::copy(std::begin(f), std::end(f), g);
    const auto m = moments<D3Q19, forced>(g, relaxation);
    Operator<D3Q19, forced>::collide(g, m, relaxation);
    return m;
  }
  double f[19];
};

TEST_F(Collide, TrtWithEqualRatesIsBgk) {
  double bgk[19], trt[19];
  after<false, Bgk>(no_force, bgk);
  after<false, Trt>(no_force, trt);
  for (int i = 0; i < 19; ++i) EXPECT_NEAR(bgk[i], trt[i], tiny);
  const Relaxation forced{1 / 0.7, 1 / 0.7, {1e-3, -2e-3, 3e-3}};
  after<true, Bgk>(forced, bgk);
  after<true, Trt>(forced, trt);
  for (int i = 0; i < 19; ++i) EXPECT_NEAR(bgk[i], trt[i], tiny);
}

TEST_F(Collide, KeepsMassAndMomentum) {
  double g[19];
  after<false, Trt>({1 / 0.8, 1 / 1.3, {0, 0, 0}}, g);
  const auto before = moments<D3Q19, false>(f, no_force), then = moments<D3Q19, false>(g, no_force);
  EXPECT_NEAR(then.density, before.density, tiny);
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(then.velocity[d], before.velocity[d], tiny);
}

TEST_F(Collide, ForceAddsItsMomentum) {
  const Relaxation forced{1 / 0.8, 1 / 1.3, {1e-3, -2e-3, 3e-3}};
  double bgk[19], trt[19];
  after<true, Bgk>(forced, bgk);
  const auto m = after<true, Trt>(forced, trt);
  for (const auto& g : {bgk, trt}) {
    double mass = 0, momentum[3]{}, momentum_before[3]{};
    for (int i = 0; i < 19; ++i) {
      mass += g[i];
      for (int d = 0; d < 3; ++d) momentum[d] += c(i, d) * g[i], momentum_before[d] += c(i, d) * f[i];
    }
    EXPECT_NEAR(mass, m.density, tiny);
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(momentum[d] - momentum_before[d], m.density * forced.force[d], tiny);
  }
}

}  // namespace
}  // namespace weft::lattice
