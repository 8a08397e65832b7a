// SPDX-License-Identifier: BSD-3-Clause
//
// Moments, equilibrium and collision operators, for one site or, where Real is a vector of the compiler, for a few
// sites at once. Each lane does the same operations in the same order, so the width never changes the result
// (given -ffp-contract=off).
#pragma once

#include <cstddef>
#include <utility>

namespace weft::lattice {

/// The two relaxation rates and the body force, in lattice units.
struct Relaxation {
  double even;       ///< 1 / tau: the rate of the even half, which sets the viscosity (tau - 1/2) / 3
  double odd;        ///< 1 / tau_minus; equal to `even` for BGK
  double force[3];   ///< per unit of mass and step^2
};

template <class Real>
struct Moments {
  Real density;
  Real velocity[3];  ///< with half of the force
};

/// f(k) for each k of 0, 1, ..., n - 1, unrolled; k is a compile-time constant (std::integral_constant).
template <int n, class Function>
[[gnu::always_inline]] inline void unrolled(Function&& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, k>{}), ...);
  }(std::make_integer_sequence<int, n>{});
}

/// c_i . v for i the first of pair k, without the products by 0 and 1. (Its first component that isn't 0 is 1.)
template <class Model, int k, class Real>
[[gnu::always_inline]] inline Real along(const Real (&v)[3]) {
  constexpr int x = Model::velocity[2 * k + 1][0], y = Model::velocity[2 * k + 1][1], z = Model::velocity[2 * k + 1][2];
  static_assert(x == 1 || (x == 0 && (y == 1 || (y == 0 && z == 1))));
  Real sum = v[x ? 0 : y ? 1 : 2];
  if constexpr (x != 0 && y > 0) sum += v[1];
  if constexpr (x != 0 && y < 0) sum -= v[1];
  if constexpr ((x != 0 || y != 0) && z > 0) sum += v[2];
  if constexpr ((x != 0 || y != 0) && z < 0) sum -= v[2];
  return sum;
}

/// Density and velocity of a site. The sum is ordered such that the populations w_i have exactly density 1 and velocity 0.
template <class Model, bool forced, class Real>
[[gnu::always_inline]] inline Moments<Real> moments(const Real (&f)[Model::directions], const Relaxation& relaxation) {
  Real moving{}, flux[3]{};
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, a = 2 * k + 1, b = a + 1;
    moving += f[a] + f[b];
    const Real difference = f[a] - f[b];
    unrolled<3>([&](auto axis) __attribute__((always_inline)) {
      constexpr int d = axis;
      if constexpr (Model::velocity[a][d] > 0) flux[d] += difference;
      if constexpr (Model::velocity[a][d] < 0) flux[d] -= difference;
    });
  });
  Moments<Real> m;
  m.density = f[0] + moving;
  const Real inverse = 1.0 / m.density;
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis;
    m.velocity[d] = flux[d] * inverse;
    if constexpr (forced) m.velocity[d] += 0.5 * relaxation.force[d];
  });
  return m;
}

/// The equilibrium of a pair of opposite directions, split into its even and odd half:
/// f_eq(a) = even + odd and f_eq(b) = even - odd, where f_eq(i) = w rho (1 + 3 c.u + 9/2 (c.u)^2 - 3/2 u^2).
template <class Real>
struct EquilibriumPair {
  Real even, odd;
};

template <class Real>
[[gnu::always_inline]] inline EquilibriumPair<Real> equilibrium_pair(const Real& weighted_density, const Real& cu,
                                                                     const Real& rest) {
  return {weighted_density * (rest + 4.5 * (cu * cu)), weighted_density * (3.0 * cu)};
}

/// 1 - 3/2 u^2
template <class Real>
[[gnu::always_inline]] inline Real rest_factor(const Real (&u)[3]) {
  return 1.0 - 1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

/// All equilibrium populations of a density and velocity.
template <class Model, class Real>
[[gnu::always_inline]] inline void equilibrium(const Moments<Real>& m, Real (&f)[Model::directions]) {
  const Real rest = rest_factor(m.velocity);
  f[0] = Model::weight[0] * m.density * rest;
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, a = 2 * k + 1, b = a + 1;
    constexpr double w = Model::weight[a];
    const Real wr = w * m.density, cu = along<Model, k>(m.velocity);
    const auto eq = equilibrium_pair(wr, cu, rest);
    f[a] = eq.even + eq.odd;
    f[b] = eq.even - eq.odd;
  });
}

/// Guo's body force (Guo, Zheng, Shi, Phys. Rev. E 65 (2002) 046308, eq. 20), split like the equilibrium:
/// w rho (3 (c - u).g + 9 (c.u)(c.g)), before the factor 1 - rate/2.
template <class Real>
[[gnu::always_inline]] inline EquilibriumPair<Real> force_pair(const Real& weighted_density, const Real& cu,
                                                               double cg, const Real& ug) {
  return {weighted_density * (9.0 * cg * cu - 3.0 * ug), weighted_density * (3.0 * cg)};
}

/// Relaxes with one rate: Bhatnagar, Gross, Krook. The odd rate is not looked at.
template <class Model, bool forced>
struct Bgk {
  template <class Real>
  [[gnu::always_inline]] static void collide(Real (&f)[Model::directions], const Moments<Real>& m,
                                             const Relaxation& relaxation) {
    const double rate = relaxation.even;
    const auto& u = m.velocity;
    const Real rest = rest_factor(u);
    constexpr double w0 = Model::weight[0];
    Real ug{};
    if constexpr (forced) ug = u[0] * relaxation.force[0] + u[1] * relaxation.force[1] + u[2] * relaxation.force[2];
    f[0] -= rate * (f[0] - w0 * m.density * rest);
    if constexpr (forced) f[0] -= (1.0 - 0.5 * rate) * (w0 * m.density * (3.0 * ug));
    unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
      constexpr int k = pair, a = 2 * k + 1, b = a + 1;
      constexpr double w = Model::weight[a];
      const Real wr = w * m.density, cu = along<Model, k>(u);
      const auto eq = equilibrium_pair(wr, cu, rest);
      f[a] -= rate * (f[a] - (eq.even + eq.odd));
      f[b] -= rate * (f[b] - (eq.even - eq.odd));
      if constexpr (forced) {
        const auto s = force_pair(wr, cu, along<Model, k>(relaxation.force), ug);
        f[a] += (1.0 - 0.5 * rate) * (s.even + s.odd);
        f[b] += (1.0 - 0.5 * rate) * (s.even - s.odd);
      }
    });
  }
};

/// Relaxes the even and the odd half of each pair of opposite directions with a rate of its own: Ginzburg, Verhaeghe,
/// d'Humieres, Commun. Comput. Phys. 3 (2008) 427.
template <class Model, bool forced>
struct Trt {
  template <class Real>
  [[gnu::always_inline]] static void collide(Real (&f)[Model::directions], const Moments<Real>& m,
                                             const Relaxation& relaxation) {
    const auto& u = m.velocity;
    const Real rest = rest_factor(u);
    constexpr double w0 = Model::weight[0];
    Real ug{};
    if constexpr (forced) ug = u[0] * relaxation.force[0] + u[1] * relaxation.force[1] + u[2] * relaxation.force[2];
    f[0] -= relaxation.even * (f[0] - w0 * m.density * rest);
    if constexpr (forced) f[0] -= (1.0 - 0.5 * relaxation.even) * (w0 * m.density * (3.0 * ug));
    unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
      constexpr int k = pair, a = 2 * k + 1, b = a + 1;
      constexpr double w = Model::weight[a];
      const Real wr = w * m.density, cu = along<Model, k>(u);
      const auto eq = equilibrium_pair(wr, cu, rest);
      Real even = relaxation.even * (0.5 * (f[a] + f[b]) - eq.even);
      Real odd = relaxation.odd * (0.5 * (f[a] - f[b]) - eq.odd);
      if constexpr (forced) {
        const auto s = force_pair(wr, cu, along<Model, k>(relaxation.force), ug);
        even -= (1.0 - 0.5 * relaxation.even) * s.even;
        odd -= (1.0 - 0.5 * relaxation.odd) * s.odd;
      }
      f[a] -= even + odd;
      f[b] -= even - odd;
    });
  }
};

}  // namespace weft::lattice
