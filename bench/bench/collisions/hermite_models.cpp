// SPDX-License-Identifier: BSD-3-Clause
//
// Collisions of populations and of Hermite coefficients.
#include "bench/collisions/collision_model.hpp"

namespace weft::bench {

namespace {

using geometry::dot;
using geometry::Vector;
using lattice::D3Q27;

Vector velocity_of(std::size_t i) {
  const auto& c = D3Q27::velocity[i];
  return {double(c[0]), double(c[1]), double(c[2])};
}

double second_order_equilibrium(std::size_t i, double density, const Vector& u) {
  const double cu = dot(velocity_of(i), u);
  return D3Q27::weight[i] * density * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * dot(u, u));
}

using PowersOf = std::array<std::array<double, 3>, 3>;  ///< powers 0, 1, 2 per axis
using Orders = std::array<std::size_t, 3>;

double product(const PowersOf& of, const Orders& n) { return of[0][n[0]] * of[1][n[1]] * of[2][n[2]]; }

/// The non-equilibrium coefficient: a sum over its pairs of indices, with the stress for the pair and the velocity for
/// all others. (The recursion in closed form.)
double from_stress(const std::array<Vector, 3>& stress, const PowersOf& u, const Orders& n) {
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = a; b < 3; ++b) {
      auto others = n;
      const double ways = a == b ? (n[a] == 2 ? 1 : 0) : static_cast<double>(n[a] * n[b]);
      if (ways == 0) continue;
      --others[a], --others[b];
      sum += ways * stress[a][b] * product(u, others);
    }
  return sum;
}

}  // namespace

void collide_trt(SitePopulations& f, const Fluid& fluid, const SiteInput& site) {
  const auto [density, u] = site.bulk;
  const auto before = f;
  const auto moved = geometry::operator+(u, fluid.force);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto j = static_cast<std::size_t>(D3Q27::opposite(static_cast<int>(i)));
    const double here = second_order_equilibrium(i, density, u), there = second_order_equilibrium(j, density, u);
    const double beyond = before[i] - here, opposite = before[j] - there;
    f[i] = before[i] - fluid.stress_rate * (beyond + opposite) / 2 - fluid.odd_rate * (beyond - opposite) / 2 +
           second_order_equilibrium(i, density, moved) - here;
  }
}

void collide_recursive_regularised(SitePopulations& f, const Fluid& fluid, const SiteInput& site) {
  const auto& u = site.bulk.velocity;
  const double density = site.bulk.density;
  std::array<Vector, 3> stress{};
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto c = velocity_of(i);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) stress[a][b] += f[i] * (c[a] * c[b] - (a == b ? 1.0 / 3 : 0));
  }
  PowersOf powers;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) stress[a][b] = (1 - fluid.stress_rate) * (stress[a][b] - density * u[a] * u[b]);
    const double after = u[a] + fluid.force[a];
    powers[a] = {1, after, after * after};
  }
  std::array<std::array<std::array<double, 3>, 3>, 3> coefficient;
  constexpr std::array<double, 3> scale = {1, 3, 4.5};  // 1 / (n! c_s^2n)
  for (std::size_t x = 0; x < 3; ++x)
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t z = 0; z < 3; ++z)
        coefficient[x][y][z] = scale[x] * scale[y] * scale[z] *
                               (density * product(powers, {x, y, z}) + from_stress(stress, powers, {x, y, z}));
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto c = velocity_of(i);
    PowersOf hermite;
    for (std::size_t a = 0; a < 3; ++a) hermite[a] = {1, c[a], c[a] * c[a] - 1.0 / 3};
    double sum = 0;
    for (std::size_t x = 0; x < 3; ++x)
      for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t z = 0; z < 3; ++z) sum += coefficient[x][y][z] * product(hermite, {x, y, z});
    f[i] = D3Q27::weight[i] * sum;
  }
}

}  // namespace weft::bench
