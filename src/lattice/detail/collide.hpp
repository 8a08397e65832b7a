// SPDX-License-Identifier: BSD-3-Clause
//
// Collision of populations that are stored as f - w, for a few sites at once. The arithmetic, not memory, would limit a
// plain form of it, so what the textbook has is arranged for few operations; constants of the rates and the force are
// taken out of the loop. Each lane does the same operations in the same order, so the width never changes the result
// (given -ffp-contract=off). Included by files that are compiled for one instruction set.
#pragma once

#include "lattice/unrolled.hpp"

namespace weft::lattice::detail {

/// What a step's arithmetic needs of the rates, e (even) and o (odd), and of the force per unit of mass, g (Guo).
template <class Scalar>
struct Rates {
  Scalar even, odd;  ///< e and o
  /// (1 - e) / 2 and (1 - o) / 2: exactly what the rates leave, or mass and momentum would not be conserved.
  Scalar keep_even, keep_odd;
  Scalar square;         ///< 9/2 e
  Scalar half_force[3];  ///< g / 2
  Scalar even_force[3];  ///< 9 (1 - e / 2) g
  Scalar odd_force[3];   ///< (1 - o / 2) g
  Scalar shear, bulk;    ///< MRT: 9/2 times the rate of the stress without its trace, of the trace, less e
};

/// How many axes pair k's velocities have a part in, less 1: their weight follows from it.
template <class Model, int k>
constexpr int class_of = Model::velocity[2 * k + 1][0] * Model::velocity[2 * k + 1][0] +
                         Model::velocity[2 * k + 1][1] * Model::velocity[2 * k + 1][1] +
                         Model::velocity[2 * k + 1][2] * Model::velocity[2 * k + 1][2] - 1;

/// The weight of a class of pairs; 0 if the set has none of it.
template <class Model>
constexpr double weight_of_class(int which) {
  for (std::size_t i = 1; i < Model::velocity.size(); ++i) {
    int squares = 0;
    for (const int c : Model::velocity[i]) squares += c * c;
    if (squares - 1 == which) return Model::weight[i];
  }
  return 0;
}

/// Populations of a site, split: sum and difference of each pair, and the one at rest.
template <class Model, class Real>
struct Halves {
  Real rest, sum[Model::pairs], difference[Model::pairs];
};

/// The stress of what is beyond equilibrium (with half of the source), of which MRT relaxes the trace and the rest
/// apart. It is taken out by the second Hermite polynomials, w_i 9/2 (c_a c_b - delta_ab / 3), which are orthogonal
/// under the weights to mass, momentum and the moments beyond (Adhikari and Succi, Phys. Rev. E 78 (2008) 066701).
template <class Model, class Scalar, class Real>
struct Stress {
  Real diagonal[3]{}, mixed[3]{};  ///< xx yy zz, and xy xz yz

  /// momentum: with half of the force; velocity: without.
  [[gnu::always_inline]] Stress(const Halves<Model, Real>& f, const Real& excess, const Real (&momentum)[3],
                                const Real (&velocity)[3], const Rates<Scalar>& rates) {
    unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
      constexpr int k = pair;
      constexpr auto c = Model::velocity[2 * k + 1];
      unrolled<3>([&](auto axis) __attribute__((always_inline)) {
        constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
        if constexpr (c[d] != 0) diagonal[d] += f.sum[k];
        if constexpr (c[a] * c[b] > 0) mixed[d] += f.sum[k];
        if constexpr (c[a] * c[b] < 0) mixed[d] -= f.sum[k];
      });
    });
    const auto* const g = rates.half_force;
    const Real pressure = Scalar(1.0 / 3) * excess;
    Real trace{};
    unrolled<Model::dimensions>([&](auto axis) __attribute__((always_inline)) {
      constexpr int d = axis;
      diagonal[d] -= pressure + momentum[d] * (velocity[d] - g[d]);
      trace += diagonal[d];
    });
    const Real mean = Scalar(1.0 / Model::dimensions) * trace;
    volume = rates.bulk * mean;
    unrolled<3>([&](auto axis) __attribute__((always_inline)) {
      constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
      if constexpr (b < Model::dimensions)
        mixed[d] = (Scalar(2) * rates.shear) * (mixed[d] - (momentum[a] * velocity[b] - momentum[b] * g[a]));
      if constexpr (d < Model::dimensions) diagonal[d] = rates.shear * (diagonal[d] - mean);
    });
  }

  /// The part that depends on the class alone: the trace's.
  template <int axes>
  [[gnu::always_inline]] Real of_class() const {
    return Scalar(axes - Model::dimensions / 3.0) * volume;
  }
  template <int k>
  [[gnu::always_inline]] static void take_from(Real& even, const Real (&weighted)[6]) {
    constexpr auto c = Model::velocity[2 * k + 1];
    unrolled<3>([&](auto axis) __attribute__((always_inline)) {
      constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
      if constexpr (c[d] != 0) even -= weighted[d];
      if constexpr (c[a] * c[b] > 0) even -= weighted[3 + d];
      if constexpr (c[a] * c[b] < 0) even += weighted[3 + d];
    });
  }
  Real volume;
};

/// One site's populations before and after. With s and d the sum and difference of a pair, rho the density, j = rho u
/// its momentum (with half of the force), the halves of f_eq (9/2 (c.u)^2 ...) and of Guo's source come together as
///
///     even half after = (1 - e) / 2 s + w (A + (c.j) (c.h))
///     odd half after  = (1 - o) / 2 d + 3 w c.q
///     h = 9/2 e u + 9 (1 - e / 2) g,  A = e (rho - 1) - j.h / 3,  q = o j + (1 - o / 2) rho g
///
/// TRT: Ginzburg, Verhaeghe, d'Humieres, Commun. Comput. Phys. 3 (2008) 427; the source: Guo, Zheng, Shi, Phys. Rev. E
/// 65 (2002) 046308.
template <class Model, bool many_rates, class Scalar, class Real>
[[gnu::always_inline]] inline void collide(Real (&f)[Model::directions], const Rates<Scalar>& rates) {
  Halves<Model, Real> half;
  half.rest = f[0];
  Real excess = f[0], flux[3]{};
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, a = 2 * k + 1, b = a + 1;
    half.sum[k] = f[a] + f[b];
    half.difference[k] = f[a] - f[b];
    excess += half.sum[k];
    unrolled<3>([&](auto axis) __attribute__((always_inline)) {
      constexpr int d = axis;
      if constexpr (Model::velocity[a][d] > 0) flux[d] += half.difference[k];
      if constexpr (Model::velocity[a][d] < 0) flux[d] -= half.difference[k];
    });
  });
  const Real density = Scalar(1) + excess;
  const Real inverse = Scalar(1) / density;
  Real j[3], h[3], q[3];
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis;
    j[d] = flux[d] + rates.half_force[d] * density;
    h[d] = rates.square * (inverse * j[d]) + rates.even_force[d];
    q[d] = rates.odd * j[d] + rates.odd_force[d] * density;
  });
  const Real even = rates.even * excess - Scalar(1.0 / 3) * (j[0] * h[0] + j[1] * h[1] + j[2] * h[2]);

  Real rest = even;
  Real even_of[3], h_of[3][3], q_of[3][3];
  [[maybe_unused]] Real stress_of[3][6];
  const auto weigh = [&](const auto* stress) __attribute__((always_inline)) {
    unrolled<3>([&](auto which) __attribute__((always_inline)) {
      constexpr int n = which;
      constexpr auto w = static_cast<Scalar>(weight_of_class<Model>(n));
      if constexpr (w != 0) {
        if constexpr (many_rates) {
          even_of[n] = w * (even - stress->template of_class<n + 1>());
          unrolled<3>([&](auto axis) __attribute__((always_inline)) {
            constexpr int d = axis;
            stress_of[n][d] = w * stress->diagonal[d];
            if constexpr (n > 0) stress_of[n][3 + d] = w * stress->mixed[d];
          });
        } else {
          even_of[n] = w * even;
        }
        unrolled<3>([&](auto axis) __attribute__((always_inline)) {
          constexpr int d = axis;
          h_of[n][d] = w * h[d];
          q_of[n][d] = (Scalar(3) * w) * q[d];
        });
      }
    });
  };
  if constexpr (many_rates) {
    const Real u[3] = {inverse * flux[0], inverse * flux[1], inverse * flux[2]};
    const Stress<Model, Scalar, Real> stress(half, excess, j, u, rates);
    rest -= stress.template of_class<0>();
    weigh(&stress);
  } else {
    weigh(static_cast<const Stress<Model, Scalar, Real>*>(nullptr));
  }

  f[0] = (rates.keep_even + rates.keep_even) * half.rest + static_cast<Scalar>(Model::weight[0]) * rest;
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, a = 2 * k + 1, b = a + 1, n = class_of<Model, k>;
    Real plus = even_of[n] + along<Model, k>(j) * along<Model, k>(h_of[n]);
    if constexpr (many_rates) Stress<Model, Scalar, Real>::template take_from<k>(plus, stress_of[n]);
    plus += rates.keep_even * half.sum[k];
    const Real minus = rates.keep_odd * half.difference[k] + along<Model, k>(q_of[n]);
    f[a] = plus + minus;
    f[b] = plus - minus;
  });
}

}  // namespace weft::lattice::detail
