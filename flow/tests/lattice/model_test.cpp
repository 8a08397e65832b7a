// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>

#include "lattice/detail/rates.hpp"
#include "lattice/velocity_sets.hpp"

namespace weft::lattice {
namespace {

constexpr double tiny = 1e-15;

double c(int i, int d) { return D3Q19::velocity[std::size_t(i)][std::size_t(d)]; }
double w(int i) { return D3Q19::weight[std::size_t(i)]; }

TEST(D3Q19, opposites_follow_each_other) {
  for (int i = 0; i < 19; ++i) {
    EXPECT_EQ(D3Q19::opposite(D3Q19::opposite(i)), i);
    EXPECT_EQ(w(D3Q19::opposite(i)), w(i));
    for (int d = 0; d < 3; ++d) EXPECT_EQ(c(D3Q19::opposite(i), d), -c(i, d));
  }
}

TEST(D3Q19, weights_are_isotropic_to_fourth_order) {
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
          EXPECT_NEAR(fourth, (delta(a, b) * delta(e, g) + delta(a, e) * delta(b, g) + delta(a, g) * delta(b, e)) / 9,
                      tiny);
        }
    }
}

// Populations f, not f - w.
template <class Model>
struct Site {
  std::array<double, Model::directions> f;

  Site() {
    for (int i = 0; i < Model::directions; ++i)
      f[std::size_t(i)] = Model::weight[std::size_t(i)] * (1 + 0.1 * std::sin(1.0 + 7.0 * i));
  }
  double density() const {
    double sum = 0;
    for (const double p : f) sum += p;
    return sum;
  }
  double moment(int a) const {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) sum += f[i] * Model::velocity[i][std::size_t(a)];
    return sum;
  }
  Site collided(const detail::Relaxation& relaxation) const {
    const auto rates = detail::rates_of<double>(relaxation);
    double g[Model::directions], after[Model::directions];
    for (std::size_t i = 0; i < f.size(); ++i) g[i] = f[i] - Model::weight[i];
    const detail::InArray<double> into{after};
    if (relaxation.has_many_rates())
      detail::collide<Model, true, double>(g, rates, into);
    else
      detail::collide<Model, false, double>(g, rates, into);
    Site site;
    for (std::size_t i = 0; i < f.size(); ++i) site.f[i] = after[i] + Model::weight[i];
    return site;
  }
};

double equilibrium_of(double w, const std::array<int, 3>& c, double density, const std::array<double, 3>& u) {
  const double cu = c[0] * u[0] + c[1] * u[1] + c[2] * u[2], uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  return w * density * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu);
}

template <class Model>
class Collide : public testing::Test {};
using Models = testing::Types<D3Q15, D3Q19, D3Q27>;
TYPED_TEST_SUITE(Collide, Models);

TYPED_TEST(Collide, bgk_is_the_textbook_formula) {
  const Site<TypeParam> before;
  const double tau = 0.7, density = before.density();
  const std::array u{before.moment(0) / density, before.moment(1) / density, before.moment(2) / density};
  const auto after = before.collided({Collision::bgk, tau, 0.1875, 0, 0, {}});
  for (std::size_t i = 0; i < after.f.size(); ++i) {
    const double eq = equilibrium_of(TypeParam::weight[i], TypeParam::velocity[i], density, u);
    EXPECT_NEAR(after.f[i], before.f[i] - (before.f[i] - eq) / tau, tiny);
  }
}

TYPED_TEST(Collide, keeps_mass_and_adds_the_forces_momentum) {
  const std::array force{1e-3, -2e-3, 3e-3};
  const Site<TypeParam> before;
  for (const auto collision : {Collision::bgk, Collision::trt, Collision::mrt, Collision::regularised}) {
    const auto after = before.collided({collision, 0.8, 0.25, 0.9, 1.1, force});
    EXPECT_NEAR(after.density(), before.density(), 4 * tiny);
    for (int a = 0; a < 3; ++a)
      EXPECT_NEAR(after.moment(a), before.moment(a) + before.density() * force[std::size_t(a)], 4 * tiny)
          << int(collision);
  }
}

// Latt and Chopard: f_eq + (1 - 1 / tau) 9/2 w (c c - 1/3) : non-equilibrium stress.
TYPED_TEST(Collide, regularised_keeps_the_stress_alone) {
  const Site<TypeParam> before;
  const double tau = 0.6, density = before.density();
  const std::array u{before.moment(0) / density, before.moment(1) / density, before.moment(2) / density};
  double stress[3][3] = {};
  for (std::size_t i = 0; i < before.f.size(); ++i) {
    const auto& v = TypeParam::velocity[i];
    const double beyond = before.f[i] - equilibrium_of(TypeParam::weight[i], v, density, u);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) stress[a][b] += beyond * v[a] * v[b];
  }
  const auto after = before.collided({Collision::regularised, tau, 0.1875, 0, 0, {}});
  for (std::size_t i = 0; i < after.f.size(); ++i) {
    const auto& v = TypeParam::velocity[i];
    double projected = 0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) projected += (v[a] * v[b] - (a == b ? 1.0 / 3 : 0)) * stress[a][b];
    const double expected =
        equilibrium_of(TypeParam::weight[i], v, density, u) + (1 - 1 / tau) * 4.5 * TypeParam::weight[i] * projected;
    EXPECT_NEAR(after.f[i], expected, 4 * tiny);
  }
}

}  // namespace
}  // namespace weft::lattice
