// SPDX-License-Identifier: BSD-3-Clause
//
// Collision of populations stored as f - w, for several sites at once. In a plain form its arithmetic, not memory,
// would be the limit, so the textbook formulas are rearranged for few operations; constants of the rates and the force
// are computed outside the loop. Each lane does the same operations in the same order, so the vector width never
// changes the result (given -ffp-contract=off). Included by files that are compiled for one instruction set.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lattice/detail/fused.hpp"
#include "lattice/velocity_sets.hpp"

namespace weft::lattice::detail {

/// Coefficients of a step, from the rates e (even) and o (odd) and from the force per unit of mass g (Guo). Numbers, or
/// vectors if each site has its own rates.
template <class Scalar>
struct Rates {
  Scalar even, odd;  ///< e and o
  /// (1 - e) / 2 and (1 - o) / 2: exactly the complements of the rates, or mass and momentum would not be conserved.
  Scalar keep_even, keep_odd;
  Scalar square;         ///< 9/2 e
  Scalar half_force[3];  ///< g / 2
  Scalar even_force[3];  ///< 9 (1 - e / 2) g
  Scalar odd_force[3];   ///< (1 - o / 2) g
  Scalar shear, bulk;    ///< MRT: 9/2 times (the rate of the deviatoric stress, of the trace, minus e)
  Scalar stress, trace,
      third;            ///< cumulants: the rates of the deviatoric stress, of the trace, and of the third order
  Scalar compressible;  ///< cumulants: 1, or 0 if momentum is based on the reference density
};

/// The compiled collisions: with one rate of the even moments, with several, or with cumulants.
enum class Form : std::uint8_t { two_rates, many_rates, cumulants };

/// The number of axes with a component in pair k, minus 1: the weight follows from it.
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

/// term(first) + ... + term(first + count - 1), by halves: additions that wait for each other would take longer than
/// all the rest.
template <int first, int count, class Term>
[[gnu::always_inline]] inline auto sum_of(const Term& term) {
  if constexpr (count == 1)
    return term(std::integral_constant<int, first>());
  else
    return sum_of<first, count / 2>(term) + sum_of<first + count / 2, count - count / 2>(term);
}

/// Populations of a site, split into sum and difference of each pair, and the population at rest.
template <class Model, class Real>
struct Halves {
  Real rest, sum[Model::pairs], difference[Model::pairs];

  [[gnu::always_inline]] explicit Halves(const Real (&f)[Model::directions]) : rest(f[0]) {
    unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
      constexpr int k = pair, a = 2 * k + 1, b = a + 1;
      sum[k] = f[a] + f[b];
      difference[k] = f[a] - f[b];
    });
  }

  /// Density - 1.
  [[gnu::always_inline]] Real excess() const {
    return sum_of<0, Model::pairs + 1>([&](auto n) __attribute__((always_inline)) {
      if constexpr (n < Model::pairs)
        return sum[int(n)];
      else
        return rest;
    });
  }

  /// The momentum without half of the force. `flux` is given as zeros.
  [[gnu::always_inline]] void add_flux(Real (&flux)[3]) const {
    unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
      constexpr int k = pair;
      unrolled<3>([&](auto axis) __attribute__((always_inline)) {
        constexpr int d = axis, c = Model::velocity[2 * k + 1][d];
        if constexpr (c > 0 && k == d)  // the first one along the axis
          flux[d] = difference[k];
        else if constexpr (c > 0)
          flux[d] += difference[k];
        else if constexpr (c < 0)
          flux[d] -= difference[k];
      });
    });
  }
};

/// The non-equilibrium stress (with half of the source), of which MRT relaxes the trace and the deviator separately. It
/// is projected by the second Hermite polynomials, w_i 9/2 (c_a c_b - delta_ab / 3), which are orthogonal under the
/// weights to mass, momentum and the higher moments (Adhikari and Succi, Phys. Rev. E 78 (2008) 066701).
template <class Model, class Scalar, class Real>
struct Stress {
  Real diagonal[3]{}, mixed[3]{};  ///< xx yy zz, and xy xz yz

  /// momentum: with half of the force; velocity: without. Unscaled; the rates are applied later.
  template <class Number>
  [[gnu::always_inline]] Stress(const Halves<Model, Real>& f, const Real& excess, const Real (&momentum)[3],
                                const Real (&velocity)[3], const Number (&g)[3]) {
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
    const Real pressure = Scalar(1.0 / 3) * excess;
    unrolled<3>([&](auto axis) __attribute__((always_inline)) {
      constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
      if constexpr (d < Model::dimensions) diagonal[d] -= pressure + momentum[d] * (velocity[d] - g[d]);
      if constexpr (b < Model::dimensions) mixed[d] -= momentum[a] * velocity[b] - momentum[b] * g[a];
    });
  }

  template <class Number>
  [[gnu::always_inline]] void weigh(const Rates<Number>& rates) {
    Real trace{};
    unrolled<Model::dimensions>([&](auto axis) __attribute__((always_inline)) { trace += diagonal[int(axis)]; });
    const Real mean = Scalar(1.0 / Model::dimensions) * trace;
    volume = rates.bulk * mean;
    unrolled<3>([&](auto axis) __attribute__((always_inline)) {
      constexpr int d = axis, b = d == 0 ? 1 : 2;
      if constexpr (b < Model::dimensions) mixed[d] = (Scalar(2) * rates.shear) * mixed[d];
      if constexpr (d < Model::dimensions) diagonal[d] = rates.shear * (diagonal[d] - mean);
    });
  }

  /// The sum of the squares of all nine components.
  [[gnu::always_inline]] Real square() const {
    return diagonal[0] * diagonal[0] + diagonal[1] * diagonal[1] + diagonal[2] * diagonal[2] +
           Scalar(2) * (mixed[0] * mixed[0] + mixed[1] * mixed[1] + mixed[2] * mixed[2]);
  }

  /// The part that depends only on the class: the trace's.
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

/// Populations in an array.
template <class Real>
struct InArray {
  Real* f;
  [[gnu::always_inline]] void put(int i, const Real& value) const { f[i] = value; }
  [[gnu::always_inline]] void add(int i, const Real& value) const { f[i] += value; }
};

/// One site's populations before and after the collision. With s and d the sum and difference of a pair, rho the
/// density, j = rho u its momentum (with half of the force), the halves of f_eq (9/2 (c.u)^2 ...) and of Guo's source
/// combine to
///
///     even half after = (1 - e) / 2 s + w (A + (c.j) (c.h))
///     odd half after  = (1 - o) / 2 d + 3 w c.q
///     h = 9/2 e u + 9 (1 - e / 2) g,  A = e (rho - 1) - j.h / 3,  q = o j + (1 - o / 2) rho g
///
/// `into.put(i, f)` takes the populations after it, while the processor still has them in registers.
///
/// TRT: Ginzburg, Verhaeghe, d'Humieres, Commun. Comput. Phys. 3 (2008) 427; the source: Guo, Zheng, Shi, Phys. Rev. E
/// 65 (2002) 046308.
template <class Model, bool many_rates, class Scalar, class Number, class Real, class Into>
[[gnu::always_inline]] inline void collide(const Real (&f)[Model::directions], const Rates<Number>& rates,
                                           const Into& into) {
  const Halves<Model, Real> half(f);
  const Real excess = half.excess();
  Real flux[3]{};
  half.add_flux(flux);
  const Real density = Scalar(1) + excess;
  const Real inverse = Scalar(1) / density;
  const Real square = rates.square * inverse;
  Real j[3], h[3], q[3];
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis;
    j[d] = fused(rates.half_force[d], density, flux[d]);
    h[d] = fused(square, j[d], all_lanes<Real>(rates.even_force[d]));
    q[d] = fused(rates.odd, j[d], Real(rates.odd_force[d] * density));
  });
  // j.h, with what the division does not delay.
  const Real moved =
      fused(square, fused(j[2], j[2], fused(j[1], j[1], Real(j[0] * j[0]))),
            fused(rates.even_force[2], j[2], fused(rates.even_force[1], j[1], Real(rates.even_force[0] * j[0]))));
  const Real even = fused<-1>(Scalar(1.0 / 3), moved, Real(rates.even * excess));

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
    Stress<Model, Scalar, Real> stress(half, excess, j, u, rates.half_force);
    stress.weigh(rates);
    rest -= stress.template of_class<0>();
    weigh(&stress);
  } else {
    weigh(static_cast<const Stress<Model, Scalar, Real>*>(nullptr));
  }

  into.put(0, fused(rates.keep_even + rates.keep_even, half.rest, Real(static_cast<Scalar>(Model::weight[0]) * rest)));
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, a = 2 * k + 1, b = a + 1, n = class_of<Model, k>;
    Real plus = fused(along<Model, k>(j), along<Model, k>(h_of[n]), even_of[n]);
    if constexpr (many_rates) Stress<Model, Scalar, Real>::template take_from<k>(plus, stress_of[n]);
    plus = fused(rates.keep_even, half.sum[k], plus);
    const Real minus = fused(rates.keep_odd, half.difference[k], along<Model, k>(q_of[n]));
    into.put(a, Real(plus + minus));
    into.put(b, Real(plus - minus));
  });
}

/// Rates that follow from the shear rate of each site.
template <class Scalar>
struct LocalRates {
  enum class Odd : std::uint8_t { as_even, magic, one };

  Scalar half_force[3];
  Scalar magic, beyond,
      bulk;  ///< beyond: MRT's rate of the even moments beyond the stress; bulk: of its trace, 0: as the stress
  Scalar trace, compressible;  ///< cumulants: the trace's rate; see Rates
  Odd odd;
  /// Table of the stress's rate by the square of (non-equilibrium stress / density): 2^bits entries per octave, linear
  /// in between. `first`: the upper bits of the first entry's argument as a double.
  const double* table;
  std::int64_t first, places;
  static constexpr int bits = 7;
};

/// For one site. Plain code, since it is compiled for each instruction set.
template <class Scalar>
[[gnu::always_inline]] inline double rate_in_table(const LocalRates<Scalar>& rates, double square) {
  constexpr int below = 52 - LocalRates<Scalar>::bits;
  std::int64_t number;
  __builtin_memcpy(&number, &square, sizeof number);
  std::int64_t place = (number >> below) - rates.first;
  if (place < 0) return rates.table[0];
  if (place > rates.places - 2) return rates.table[rates.places - 1];
  const double part = static_cast<double>(number & ((std::int64_t{1} << below) - 1)) *
                      (1.0 / static_cast<double>(std::int64_t{1} << below));
  return rates.table[place] + part * (rates.table[place + 1] - rates.table[place]);
}

/// The non-equilibrium stress (with half of the force's), unscaled, and 1 over the density.
template <class Model, class Scalar, class Real>
[[gnu::always_inline]] inline Stress<Model, Scalar, Real> stress_beyond(const Real (&f)[Model::directions],
                                                                        const Scalar (&half_force)[3],
                                                                        const Scalar& compressible, Real& inverse) {
  const Halves<Model, Real> half(f);
  const Real excess = half.excess();
  Real flux[3]{}, j[3], u[3];
  half.add_flux(flux);
  const Real density = Scalar(1) + compressible * excess;
  inverse = Scalar(1) / density;
  for (int d = 0; d < 3; ++d) {
    j[d] = flux[d] + half_force[d] * density;
    u[d] = inverse * flux[d];
  }
  return {half, excess, j, u, half_force};
}

/// The same collision with a rate per site: the rate follows from the non-equilibrium stress.
template <class Model, bool many_rates, class Scalar, class Real, class Into>
[[gnu::always_inline]] inline void collide_locally(const Real (&f)[Model::directions], const LocalRates<Scalar>& given,
                                                   const Into& into) {
  Real inverse;
  const auto stress = stress_beyond<Model, Scalar>(f, given.half_force, Scalar(1), inverse);
  const Real square = stress.square() * (inverse * inverse);
  Real shear;
  for (std::size_t l = 0; l < sizeof(Real) / sizeof(Scalar); ++l)
    shear[l] = static_cast<Scalar>(rate_in_table(given, static_cast<double>(square[l])));

  Rates<Real> rates;
  // A rate and its complement must add up to exactly 1.
  const auto split = [](const Real& rate, Real& kept) __attribute__((always_inline)) {
    kept = Scalar(1) - rate;
    const Real exact = Scalar(1) - kept;
    kept = Scalar(0.5) * kept;
    return exact;
  };
  Real even = shear, odd = shear;
  if constexpr (many_rates) even = Real{} + given.beyond;
  if (given.odd == LocalRates<Scalar>::Odd::one) odd = Real{} + Scalar(1);
  if (given.odd == LocalRates<Scalar>::Odd::magic)
    odd = Scalar(1) / (given.magic / (Scalar(1) / shear - Scalar(0.5)) + Scalar(0.5));
  rates.even = split(even, rates.keep_even);
  rates.odd = split(odd, rates.keep_odd);
  rates.square = Scalar(4.5) * rates.even;
  rates.shear = Scalar(4.5) * (shear - rates.even);
  rates.bulk = given.bulk > 0 ? Scalar(4.5) * (given.bulk - rates.even) : rates.shear;
  for (int d = 0; d < 3; ++d) {
    const Scalar g = Scalar(2) * given.half_force[d];
    rates.half_force[d] = Real{} + given.half_force[d];
    rates.even_force[d] = (Scalar(9) * g) * (Scalar(1) - Scalar(0.5) * rates.even);
    rates.odd_force[d] = g * (Scalar(1) - Scalar(0.5) * rates.odd);
  }
  collide<Model, many_rates, Scalar>(f, rates, into);
}

}  // namespace weft::lattice::detail
