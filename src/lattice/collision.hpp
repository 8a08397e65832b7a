// SPDX-License-Identifier: BSD-3-Clause
//
// Moments, equilibrium and collision operators, for one site or, where Real is a vector of the compiler, for a few
// sites at once. Each lane does the same operations in the same order, so the width never changes the result
// (given -ffp-contract=off).
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace weft::lattice {

/// The relaxation rates and the body force, in lattice units.
template <class Scalar>
struct RelaxationIn {
  Scalar even;       ///< of the even half of each pair; BGK and TRT: 1 / tau, which sets the viscosity (tau - 1/2) / 3
  Scalar odd;        ///< of the odd half, 1 / tau_minus; equal to `even` for BGK
  Scalar force[3];   ///< per unit of mass and step^2
  Scalar shear = 0;  ///< MRT: of the stress without its trace, 1 / tau; `even` is then that of the even moments beyond the stress
  Scalar bulk = 0;   ///< MRT: of the stress's trace
};
using Relaxation = RelaxationIn<double>;

/// The number type of a vector's lanes.
template <class Real>
struct LaneOf {
  using Type = std::remove_cvref_t<decltype(Real{}[0])>;
};
template <>
struct LaneOf<double> {
  using Type = double;
};
template <>
struct LaneOf<float> {
  using Type = float;
};
template <class Real>
using Lane = typename LaneOf<Real>::Type;

template <class Real>
struct Moments {
  Real density;
  Real velocity[3];  ///< with half of the force
  /// The density, or what of it exceeds 1 if populations are stored as f - w: linear terms of the equilibrium take this one.
  Real excess{};
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
/// Shifted populations are f - w: nothing cancels where the fluid is nearly at rest, which single precision needs.
template <class Model, bool forced, bool shifted = false, class Real>
[[gnu::always_inline]] inline Moments<Real> moments(const Real (&f)[Model::directions], const RelaxationIn<Lane<Real>>& relaxation) {
  using Scalar = Lane<Real>;
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
  m.excess = f[0] + moving;
  if constexpr (shifted) m.density = Scalar(1) + m.excess;
  else m.density = m.excess;
  const Real inverse = Scalar(1) / m.density;
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis;
    m.velocity[d] = flux[d] * inverse;
    if constexpr (forced) m.velocity[d] += Scalar(0.5) * relaxation.force[d];
  });
  return m;
}

/// A pair of opposite directions, split into its even and odd half: f(a) = even + odd and f(b) = even - odd.
template <class Real>
struct Pair {
  Real even, odd;
};

/// f_eq(i) = w (rho + rho (3 c.u + 9/2 (c.u)^2 - 3/2 u^2)), where the linear rho may lack the 1 of shifted populations.
template <class Model, int k, class Real>
[[gnu::always_inline]] inline Pair<Real> equilibrium_pair(const Real& excess, const Real& density, const Real& cu, const Real& half_square) {
  using Scalar = Lane<Real>;
  constexpr auto w = static_cast<Scalar>(Model::weight[2 * k + 1]);
  return {w * (excess + density * (Scalar(4.5) * (cu * cu) - half_square)), (Scalar(3) * w) * (density * cu)};
}

/// 3/2 u^2
template <class Real>
[[gnu::always_inline]] inline Real half_square(const Real (&u)[3]) {
  return Lane<Real>(1.5) * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

/// All equilibrium populations of a density and velocity.
template <class Model, bool shifted = false, class Real>
[[gnu::always_inline]] inline void equilibrium(const Moments<Real>& m, Real (&f)[Model::directions]) {
  using Scalar = Lane<Real>;
  const Real square = half_square(m.velocity);
  const Real excess = shifted ? m.density - Scalar(1) : m.density;
  f[0] = static_cast<Scalar>(Model::weight[0]) * (excess - m.density * square);
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, a = 2 * k + 1, b = a + 1;
    const auto eq = equilibrium_pair<Model, k>(excess, m.density, along<Model, k>(m.velocity), square);
    f[a] = eq.even + eq.odd;
    f[b] = eq.even - eq.odd;
  });
}

/// Guo's body force (Guo, Zheng, Shi, Phys. Rev. E 65 (2002) 046308, eq. 20): w rho (3 (c - u).g + 9 (c.u)(c.g)). All
/// operators below relax f - f_eq + S/2 and add S, which is his factor 1 - rate/2 for every moment.
template <class Model, int k, class Real>
[[gnu::always_inline]] inline Pair<Real> force_pair(const Real& density, const Real& cu, Lane<Real> cg, const Real& ug) {
  using Scalar = Lane<Real>;
  constexpr auto w = static_cast<Scalar>(Model::weight[2 * k + 1]);
  return {(Scalar(3) * w) * (density * (Scalar(3) * cg * cu - ug)), (Scalar(3) * w * cg) * density};
}

/// What the operators share: calls relax(pair, difference from equilibrium) -> what to take away, for each pair, and the
/// same for the population at rest (pair -1: its even half is all of it).
template <class Model, bool forced, class Real, class Relax>
[[gnu::always_inline]] inline void collide_pairs(Real (&f)[Model::directions], const Moments<Real>& m,
                                                 const RelaxationIn<Lane<Real>>& relaxation, Relax&& relax) {
  using Scalar = Lane<Real>;
  const auto& u = m.velocity;
  const Real square = half_square(u);
  constexpr auto w0 = static_cast<Scalar>(Model::weight[0]);
  Real ug{}, rest_force{};
  if constexpr (forced) {
    ug = u[0] * relaxation.force[0] + u[1] * relaxation.force[1] + u[2] * relaxation.force[2];
    rest_force = (Scalar(-3) * w0) * (m.density * ug);
  }
  Real rest = f[0] - w0 * (m.excess - m.density * square);
  if constexpr (forced) rest += Scalar(0.5) * rest_force;
  f[0] -= relax(std::integral_constant<int, -1>{}, Pair<Real>{rest, Real{}}).even;
  if constexpr (forced) f[0] += rest_force;
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, a = 2 * k + 1, b = a + 1;
    const Real cu = along<Model, k>(u);
    const auto eq = equilibrium_pair<Model, k>(m.excess, m.density, cu, square);
    Pair<Real> difference{Scalar(0.5) * (f[a] + f[b]) - eq.even, Scalar(0.5) * (f[a] - f[b]) - eq.odd};
    if constexpr (forced) {
      const auto s = force_pair<Model, k>(m.density, cu, along<Model, k>(relaxation.force), ug);
      difference.even += Scalar(0.5) * s.even;
      difference.odd += Scalar(0.5) * s.odd;
      auto gone = relax(pair, difference);
      gone.even -= s.even;
      gone.odd -= s.odd;
      f[a] -= gone.even + gone.odd;
      f[b] -= gone.even - gone.odd;
    } else {
      const auto gone = relax(pair, difference);
      f[a] -= gone.even + gone.odd;
      f[b] -= gone.even - gone.odd;
    }
  });
}

/// Relaxes with one rate: Bhatnagar, Gross, Krook. The odd rate is not looked at.
template <class Model, bool forced>
struct Bgk {
  template <class Real>
  [[gnu::always_inline]] static void collide(Real (&f)[Model::directions], const Moments<Real>& m,
                                             const RelaxationIn<Lane<Real>>& relaxation) {
    collide_pairs<Model, forced>(f, m, relaxation, [&](auto, const Pair<Real>& d) __attribute__((always_inline)) {
      return Pair<Real>{relaxation.even * d.even, relaxation.even * d.odd};
    });
  }
};

/// Relaxes the even and the odd half of each pair of opposite directions with a rate of its own: Ginzburg, Verhaeghe,
/// d'Humieres, Commun. Comput. Phys. 3 (2008) 427.
template <class Model, bool forced>
struct Trt {
  template <class Real>
  [[gnu::always_inline]] static void collide(Real (&f)[Model::directions], const Moments<Real>& m,
                                             const RelaxationIn<Lane<Real>>& relaxation) {
    collide_pairs<Model, forced>(f, m, relaxation, [&](auto, const Pair<Real>& d) __attribute__((always_inline)) {
      return Pair<Real>{relaxation.even * d.even, relaxation.odd * d.odd};
    });
  }
};

/// Multiple relaxation times: of the stress without its trace (shear viscosity), of the trace (bulk viscosity), of all other
/// even moments and of the odd ones. The stress is taken out by the second Hermite polynomials, w_i 9/2 (c_a c_b - delta_ab / 3),
/// which are orthogonal under the lattice's weights to mass, momentum and the moments beyond (Adhikari and Succi, Phys. Rev. E 78
/// (2008) 066701).
template <class Model, bool forced>
struct Mrt {
  template <class Real>
  [[gnu::always_inline]] static void collide(Real (&f)[Model::directions], const Moments<Real>& m,
                                             const RelaxationIn<Lane<Real>>& relaxation) {
    using Scalar = Lane<Real>;
    constexpr int dimensions = Model::dimensions;
    // First pass: the stress that the differences from equilibrium carry, xx yy zz xy xz yz.
    Real stress[6]{};
    Real g[Model::directions];
    unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) { g[i] = f[i]; });
    collide_pairs<Model, forced>(g, m, relaxation, [&](auto pair, const Pair<Real>& d) __attribute__((always_inline)) {
      constexpr int k = pair;
      if constexpr (k >= 0) {
        constexpr auto c = Model::velocity[2 * k + 1];
        const Real twice = d.even + d.even;
        if constexpr (c[0] != 0) stress[0] += twice;
        if constexpr (c[1] != 0) stress[1] += twice;
        if constexpr (c[2] != 0) stress[2] += twice;
        if constexpr (c[0] * c[1] > 0) stress[3] += twice;
        if constexpr (c[0] * c[1] < 0) stress[3] -= twice;
        if constexpr (c[0] * c[2] > 0) stress[4] += twice;
        if constexpr (c[0] * c[2] < 0) stress[4] -= twice;
        if constexpr (c[1] * c[2] > 0) stress[5] += twice;
        if constexpr (c[1] * c[2] < 0) stress[5] -= twice;
      }
      return d;
    });
    Real trace = stress[0] + stress[1];
    if constexpr (dimensions == 3) trace += stress[2];
    const Real mean = Scalar(1.0 / dimensions) * trace;
    const Scalar shear = Scalar(4.5) * (relaxation.shear - relaxation.even), bulk = Scalar(4.5) * (relaxation.bulk - relaxation.even);
    const Real p[6] = {shear * (stress[0] - mean), shear * (stress[1] - mean), shear * (stress[2] - mean),
                       (Scalar(2) * shear) * stress[3], (Scalar(2) * shear) * stress[4], (Scalar(2) * shear) * stress[5]};
    const Real volume = bulk * mean;
    collide_pairs<Model, forced>(f, m, relaxation, [&](auto pair, const Pair<Real>& d) __attribute__((always_inline)) {
      constexpr int k = pair, i = 2 * k + 1 < 0 ? 0 : 2 * k + 1;
      constexpr auto c = Model::velocity[i];
      constexpr auto w = static_cast<Scalar>(Model::weight[i]);
      constexpr auto square = static_cast<Scalar>(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] - dimensions / 3.0);
      Real sum = square * volume;
      if constexpr (c[0] != 0) sum += p[0];
      if constexpr (c[1] != 0) sum += p[1];
      if constexpr (c[2] != 0) sum += p[2];
      if constexpr (c[0] * c[1] > 0) sum += p[3];
      if constexpr (c[0] * c[1] < 0) sum -= p[3];
      if constexpr (c[0] * c[2] > 0) sum += p[4];
      if constexpr (c[0] * c[2] < 0) sum -= p[4];
      if constexpr (c[1] * c[2] > 0) sum += p[5];
      if constexpr (c[1] * c[2] < 0) sum -= p[5];
      return Pair<Real>{relaxation.even * d.even + w * sum, relaxation.odd * d.odd};
    });
  }
};

}  // namespace weft::lattice
