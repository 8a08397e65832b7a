// SPDX-License-Identifier: BSD-3-Clause
//
// Collision that relaxes cumulants. Included by files that are compiled for one instruction set; see collide.hpp.
#pragma once

#include "lattice/detail/collide.hpp"
#include "lattice/detail/cumulants_27.hpp"
#include "lattice/velocity_sets.hpp"

namespace weft::lattice::detail {

/// compressible: 1, or 0 for a fluid whose momentum is based on the reference density (He and Luo).
template <class Model, class Scalar, class Real>
[[gnu::always_inline]] inline Cloud<Real> cloud_of_19(const Real (&f)[Model::directions], const Scalar& compressible) {
  static_assert(Model::directions == 19);
  Cloud<Real> s;
  Real flux[3]{}, second[3]{}, mixed[3]{};
  s.excess = f[0];
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, i = 2 * k + 1;
    constexpr auto c = Model::velocity[i];
    const Real sum = f[i] + f[i + 1], difference = f[i] - f[i + 1];
    s.excess += sum;
    unrolled<3>([&](auto axis) __attribute__((always_inline)) {
      constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
      if constexpr (c[d] > 0) flux[d] += difference;
      if constexpr (c[d] < 0) flux[d] -= difference;
      if constexpr (c[d] != 0) second[d] += sum;
      if constexpr (c[a] * c[b] > 0) mixed[d] += sum;
      if constexpr (c[a] * c[b] < 0) mixed[d] -= sum;
    });
  });
  s.density = Scalar(1) + compressible * s.excess;
  s.inverse = Scalar(1) / s.density;
  unrolled<3>([&](auto axis) __attribute__((always_inline)) { s.mean[int(axis)] = s.inverse * flux[int(axis)]; });
  const Real third = Scalar(1.0 / 3) * s.excess;
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
    s.spread[d] = s.inverse * (second[d] - third) - s.mean[d] * s.mean[d];
    s.mixed[d] = s.inverse * mixed[d] - s.mean[a] * s.mean[b];
  });
  Real aab[3]{}, abb[3]{};
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, i = 2 * k + 1;
    constexpr auto c = Model::velocity[i];
    if constexpr (c[0] * c[0] + c[1] * c[1] + c[2] * c[2] > 1) {
      const Real difference = f[i] - f[i + 1];
      unrolled<3>([&](auto axis) __attribute__((always_inline)) {
        constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
        if constexpr (c[a] * c[b] != 0) {
          if constexpr (c[b] > 0)
            aab[d] += difference;
          else
            aab[d] -= difference;
          if constexpr (c[a] > 0)
            abb[d] += difference;
          else
            abb[d] -= difference;
        }
      });
    }
  });
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
    const Real twice = s.mixed[d] + s.mixed[d];
    s.aab[d] =
        s.inverse * aab[d] - ((s.spread[a] + s.mean[a] * s.mean[a] + Scalar(1.0 / 3)) * s.mean[b] + twice * s.mean[a]);
    s.abb[d] =
        s.inverse * abb[d] - ((s.spread[b] + s.mean[b] * s.mean[b] + Scalar(1.0 / 3)) * s.mean[a] + twice * s.mean[b]);
  });
  return s;
}

/// The populations (f - w) of D3Q19 with this density, mean, covariance and third cumulants, and none beyond, as far as
/// the velocity set has their moments. The constant 1 (at rest: 1/3, 1/9 of the even moments) is subtracted throughout,
/// so that single precision loses nothing.
template <class Model, class Scalar, class Real>
[[gnu::always_inline]] inline void populations_of_19(const Cloud<Real>& s, Real (&f)[Model::directions]) {
  static_assert(Model::directions == 19);
  constexpr Scalar third = Scalar(1.0 / 3), ninth = Scalar(1.0 / 9);
  const Real& rho = s.density;
  const auto& u = s.mean;
  // Pairs of axes (a, b) in the order of `mixed`: xy, xz, yz.
  Real square[3];  // E[x^2] - 1/3
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    square[int(axis)] = u[int(axis)] * u[int(axis)] + s.spread[int(axis)];
  });
  Real product[3], aab[3], abb[3], aabb[3];  // E[ab], E[a^2 b], E[a b^2], E[a^2 b^2] - 1/9
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
    const Real& c = s.mixed[d];
    const Real both = u[a] * u[b];
    product[d] = both + c;
    const Real twice = c + c;
    aab[d] = (square[a] + third) * u[b] + twice * u[a] + s.aab[d];
    abb[d] = (square[b] + third) * u[a] + twice * u[b] + s.abb[d];
    const Real beyond = u[b] * s.aab[d] + u[a] * s.abb[d];
    aabb[d] = third * (square[a] + square[b]) + square[a] * square[b] + twice * (both + product[d]) + (beyond + beyond);
  });
  const Real m0 = s.excess;
  Real first[3], second[3], m11[3], m21[3], m12[3], m22[3];
  const Real third_excess = third * m0, ninth_excess = ninth * m0;
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis;
    first[d] = rho * u[d];
    second[d] = rho * square[d] + third_excess;
    m11[d] = rho * product[d];
    m21[d] = rho * aab[d];
    m12[d] = rho * abb[d];
    m22[d] = rho * aabb[d] + ninth_excess;
  });
  // From moments: 1 at rest, x at an axis and so on, each by inclusion and exclusion.
  f[0] = m0 - (second[0] + second[1] + second[2]) + (m22[0] + m22[1] + m22[2]);
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, i = 2 * k + 1;
    constexpr auto c = Model::velocity[i];
    constexpr int axes = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    Real even, odd;
    if constexpr (axes == 1) {
      constexpr int d = c[0] != 0 ? 0 : c[1] != 0 ? 1 : 2;
      // pairs of axes that contain d: p with the lower other axis, q with the higher one
      constexpr int p = d == 2 ? 1 : 0, q = d == 0 ? 1 : 2;
      even = Scalar(0.5) * (second[d] - m22[p] - m22[q]);
      const Real& np = d == 0 ? m12[p] : m21[p];  // d to the first power, the other axis squared
      const Real& nq = d == 2 ? m21[q] : m12[q];
      odd = Scalar(0.5) * (first[d] - np - nq);
    } else {
      constexpr int d = c[2] == 0 ? 0 : c[1] == 0 ? 1 : 2, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
      even = Scalar(0.25) * (c[a] * c[b] > 0 ? m22[d] + m11[d] : m22[d] - m11[d]);
      odd = Scalar(0.25) * (c[b] > 0 ? m12[d] + m21[d] : m12[d] - m21[d]);
    }
    f[i] = even + odd;
    f[i + 1] = even - odd;
  });
}

template <class Model, class Scalar, class Real>
[[gnu::always_inline]] inline Cloud<Real> cloud_of(const Real (&f)[Model::directions], const Scalar& compressible) {
  if constexpr (Model::directions == 27)
    return cloud_of_27<Scalar>(f, compressible);
  else
    return cloud_of_19<Model, Scalar>(f, compressible);
}

/// put(i, f) stores a population; for a fluid whose momentum is based on the reference density, add(i, f) adds to it.
template <class Model, class Scalar, class Real, class Populations>
[[gnu::always_inline]] inline void populations_of(const Cloud<Real>& s, const Scalar& compressible,
                                                  const Populations& to) {
  const auto put = [&](int i, const Real& f) __attribute__((always_inline)) { to.put(i, f); };
  if constexpr (Model::directions == 27) {
    populations_of_27<Scalar>(s, compressible, put);
    if (compressible != Scalar(1)) {  // pressure in addition to that of the momentum's density
      const Real beyond = (Scalar(1) - compressible) * s.excess;
      unrolled<27>([&](auto i) __attribute__((always_inline)) {
        to.add(i, static_cast<Scalar>(Model::weight[std::size_t(int(i))]) * beyond);
      });
    }
  } else {
    Real f[Model::directions];
    populations_of_19<Model, Scalar>(s, f);
    unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) { put(i, f[i]); });
  }
}

/// Cumulants of the second order relax, the deviatoric stress by `rate`, the trace by `bulk`; all beyond the third
/// order go to their equilibrium, zero, at once, which keeps the model stable where a velocity set's own moments would
/// oscillate (Geier, Schoenherr, Pasquali, Krafczyk, Comput. Math. Appl. 70 (2015) 507; their eqs. 60 to 69 for the
/// diagonal, which a velocity of at most 1 along an axis makes depend on the frame). The force is added to the mean,
/// half before and half after. D3Q19 has no moments of three axes, so these are omitted.
///
/// The third order determines the position of walls: relaxed at once, it puts an oblique wall of a fluid of low
/// viscosity half a voxel too far inside. Relaxed by `third`, which follows from the magic number as TRT's odd rate
/// does, it puts the wall at its place, but vortices oscillate. So the rate changes from the latter to the former as
/// the cumulants grow (the limiter of Geier, Pasquali, Schoenherr, J. Comput. Phys. 348 (2017) 862, eqs. 97 to 99, here
/// of all together). For D3Q27 with their 0.01; for D3Q19, whose moments can't represent all of them, with 0.001, since
/// an aorta's bifurcation became unstable with more.
///
/// correction: the diagonal's equilibrium in addition to the pressure (see Advection). velocity: written there, with
/// half of the force.
template <class Model, class Scalar, class Number, class Real>
[[gnu::always_inline]] inline void relax(Cloud<Real>& s, const Number& rate, const Number& bulk, const Number& third,
                                         const Number (&half_force)[3], const Real (&correction)[3],
                                         Real (&velocity)[3]) {
  const Number keep = Scalar(1) - rate, half = Scalar(1) - Scalar(0.5) * rate, keep_bulk = Scalar(1) - bulk,
               half_bulk = Scalar(1) - Scalar(0.5) * bulk;
  Real of_pair[3];
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    of_pair[int(axis)] = magnitude(s.aab[int(axis)]) + magnitude(s.abb[int(axis)]);
  });
  const Real size = of_pair[0] + of_pair[1] + of_pair[2];
  constexpr Scalar limit = Scalar(Model::directions == 27 ? 0.01 : 0.001);
  const Real odd_keep = ((Scalar(1) - third) * limit) / (limit + size);
  const Number slope = Scalar(-4.5) * rate, slope_bulk = Scalar(-4.5) * bulk;
  unrolled<3>([&](auto axis) __attribute__((always_inline)) { s.spread[int(axis)] -= correction[int(axis)]; });
  const Real mean = Scalar(1.0 / 3) * (s.spread[0] + s.spread[1] + s.spread[2]);
  Real apart[3], frame[3];
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis;
    apart[d] = s.spread[d] - mean;
    frame[d] = (s.mean[d] * s.mean[d]) * (slope * apart[d] + slope_bulk * mean);
  });
  const Real frames = Scalar(1.0 / 3) * (frame[0] + frame[1] + frame[2]);
  const Real trace = keep_bulk * mean - half_bulk * frames;
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis;
    s.spread[d] = keep * apart[d] - half * (frame[d] - frames) + trace + correction[d];
    s.mixed[d] = keep * s.mixed[d];
    s.aab[d] = odd_keep * s.aab[d];
    s.abb[d] = odd_keep * s.abb[d];
    velocity[d] = s.mean[d] + half_force[d];
    s.mean[d] += half_force[d] + half_force[d];
  });
  if constexpr (Model::directions == 27) s.xyz = odd_keep * s.xyz;
}

template <class Model, class Scalar, class Number, class Real, class Populations>
[[gnu::always_inline]] inline void collide_cumulants(const Real (&f)[Model::directions], const Rates<Number>& rates,
                                                     const Real (&correction)[3], Real (&velocity)[3],
                                                     const Populations& to) {
  auto cloud = cloud_of<Model, Scalar>(f, rates.compressible);
  relax<Model, Scalar>(cloud, rates.stress, rates.trace, rates.third, rates.half_force, correction, velocity);
  populations_of<Model, Scalar>(cloud, rates.compressible, to);
}

template <class Model, class Scalar, class Number, class Real>
void collide_cumulants(Real (&f)[Model::directions], const Rates<Number>& rates, const Real (&correction)[3],
                       Real (&velocity)[3]) {
  Real before[Model::directions];
  for (int i = 0; i < Model::directions; ++i) before[i] = f[i];
  collide_cumulants<Model, Scalar>(before, rates, correction, velocity, InArray<Real>{f});
}

/// With a rate per site, from its non-equilibrium stress.
template <class Model, class Scalar, class Real, class Populations>
[[gnu::always_inline]] inline void collide_cumulants_locally(const Real (&f)[Model::directions],
                                                             const LocalRates<Scalar>& given,
                                                             const Real (&correction)[3], Real (&velocity)[3],
                                                             const Populations& to) {
  auto cloud = cloud_of<Model, Scalar>(f, given.compressible);
  const Real c[3] = {cloud.spread[0] - correction[0], cloud.spread[1] - correction[1], cloud.spread[2] - correction[2]};
  const auto& m = cloud.mixed;
  const Real square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + Scalar(2) * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
  Real rate, bulk = Real{} + given.trace, half_force[3];
  for (std::size_t l = 0; l < sizeof(Real) / sizeof(Scalar); ++l)
    rate[l] = static_cast<Scalar>(rate_in_table(given, static_cast<double>(square[l])));
  for (int d = 0; d < 3; ++d) half_force[d] = Real{} + given.half_force[d];
  const Real third = Scalar(1) / (given.magic / (Scalar(1) / rate - Scalar(0.5)) + Scalar(0.5));
  relax<Model, Scalar>(cloud, rate, bulk, third, half_force, correction, velocity);
  populations_of<Model, Scalar>(cloud, given.compressible, to);
}

}  // namespace weft::lattice::detail
