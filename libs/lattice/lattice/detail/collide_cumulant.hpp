// SPDX-License-Identifier: BSD-3-Clause
//
// Collision that relaxes cumulants. Included by files that are compiled for one instruction set; see collide.hpp.
#pragma once

#include "lattice/detail/collide.hpp"

namespace weft::lattice::detail {

/// Mean, covariance and density of a site's populations, taken for a distribution of velocities.
template <class Real>
struct Cloud {
  Real excess, density, inverse;  ///< density less 1; that of the momentum; 1 over it
  Real mean[3];                   ///< without the force
  Real spread[3], mixed[3];       ///< covariance: xx yy zz, each less 1/3, and xy xz yz
  Real aab[3], abb[3];            ///< cumulants of the third order with two axes, a and b the pairs xy xz yz
};

/// compressible: 1, or 0 for a fluid whose momentum is that of the reference density (He and Luo).
template <class Model, class Scalar, class Real>
[[gnu::always_inline]] inline Cloud<Real> cloud_of(const Real (&f)[Model::directions], const Scalar& compressible) {
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

/// The populations (f - w) of the distribution that has this density, mean and covariance, and no higher cumulants: a
/// Gaussian's moments, as far as the velocity set has them. Each moment of a Gaussian follows from lower ones,
///     E[z g] = E[z] E[g] + sum over k of C_zk E[dg/dk],
/// and 1 (at rest: 1/3, 1/9, 1/27 of the even ones) is left out throughout, so that nothing is lost in single
/// precision.
template <class Model, class Scalar, class Real>
[[gnu::always_inline]] inline void populations_of(const Cloud<Real>& s, Real (&f)[Model::directions]) {
  static_assert(Model::directions == 19 || Model::directions == 27);
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
  // Of both other axes to the second power with this one to the first, and so on: 0 for sets without corners.
  Real m222{}, corner_first[3]{}, corner_mixed[3]{}, m111{};  // 122 212 221; 112 121 211 in the order of `mixed`
  if constexpr (Model::directions == 27) {
    const Real &cxz = s.mixed[1], &cyz = s.mixed[2];
    const Real exy = product[0], exxy = aab[0], exyy = abb[0], exx = square[0] + third, eyy = square[1] + third,
               exxyy = aabb[0];
    const Real exyz = u[2] * exy + cxz * u[1] + cyz * u[0];
    const Real txz = cxz + cxz, tyz = cyz + cyz;
    const Real exyyz = u[2] * exyy + cxz * eyy + tyz * exy;
    const Real exxyz = u[2] * exxy + txz * exy + cyz * exx;
    const Real exxyyz = u[2] * (exxyy + ninth) + txz * exyy + tyz * exxy;
    const Real exxyyzz = u[2] * exxyyz + txz * exyyz + tyz * exxyz + s.spread[2] * (exxyy + ninth) + third * exxyy;
    const Real czz = s.spread[2] + third;
    // E[x y z^2], E[x y^2 z^2], E[x^2 y z^2]
    const Real exyzz = u[2] * exyz + cxz * (product[2]) + cyz * (product[1]) + czz * exy;
    const Real exyyzz = u[2] * exyyz + cxz * aab[2] + tyz * exyz + czz * exyy;
    const Real exxyzz = u[2] * exxyz + txz * exyz + cyz * aab[1] + czz * exxy;
    m111 = rho * exyz;
    corner_mixed[0] = rho * exyzz;
    corner_mixed[1] = rho * exyyz;
    corner_mixed[2] = rho * exxyz;
    corner_first[0] = rho * exyyzz;
    corner_first[1] = rho * exxyzz;
    corner_first[2] = rho * exxyyz;
    m222 = rho * exxyyzz + Scalar(1.0 / 27) * m0;
  }
  // Out of moments: 1 at rest, x at an axis and so on, each by inclusion and exclusion.
  f[0] = m0 - (second[0] + second[1] + second[2]) + (m22[0] + m22[1] + m22[2]) - m222;
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int k = pair, i = 2 * k + 1;
    constexpr auto c = Model::velocity[i];
    constexpr int axes = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    Real even, odd;
    if constexpr (axes == 1) {
      constexpr int d = c[0] != 0 ? 0 : c[1] != 0 ? 1 : 2;
      // pairs of axes that d is in: p with the lower other axis, q with the higher one
      constexpr int p = d == 2 ? 1 : 0, q = d == 0 ? 1 : 2;
      even = Scalar(0.5) * (second[d] - m22[p] - m22[q] + m222);
      const Real& np = d == 0 ? m12[p] : m21[p];  // d to the first, the other squared
      const Real& nq = d == 2 ? m21[q] : m12[q];
      odd = Scalar(0.5) * (first[d] - np - nq + corner_first[d]);
    } else if constexpr (axes == 2) {
      constexpr int d = c[2] == 0 ? 0 : c[1] == 0 ? 1 : 2, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
      const Real cross = m11[d] - corner_mixed[d];
      even = Scalar(0.25) * (c[a] * c[b] > 0 ? (m22[d] - m222) + cross : (m22[d] - m222) - cross);
      const Real x = m12[d] - corner_first[a], y = m21[d] - corner_first[b];
      odd = Scalar(0.25) * (c[b] > 0 ? x + y : x - y);
    } else {
      const Real& xy = corner_mixed[0];
      const Real& xz = corner_mixed[1];
      const Real& yz = corner_mixed[2];
      const Real one = c[1] > 0 ? m222 + xy : m222 - xy, two = c[2] > 0 ? one + xz : one - xz;
      even = Scalar(0.125) * (c[1] * c[2] > 0 ? two + yz : two - yz);
      const Real first_two = c[1] > 0 ? corner_first[0] + corner_first[1] : corner_first[0] - corner_first[1];
      const Real all = c[2] > 0 ? first_two + corner_first[2] : first_two - corner_first[2];
      odd = Scalar(0.125) * (c[1] * c[2] > 0 ? all + m111 : all - m111);
    }
    f[i] = even + odd;
    f[i + 1] = even - odd;
  });
}

/// Cumulants of the second order relax, the stress without its trace by `rate`, the trace by `bulk`; all beyond the
/// third order go to their equilibrium, zero, at once, which is what keeps the model stable where a velocity set's own
/// moments would ring (Geier, Schoenherr, Pasquali, Krafczyk, Comput. Math. Appl. 70 (2015) 507; their eqs. 60 to 69
/// for the diagonal, which a velocity of at most 1 along an axis makes depend on the frame). The force adds to the
/// mean, half before and half after. On D3Q19, which has no moments of three axes, these are left out.
///
/// The third order decides where walls are: at once, an oblique wall of a thin fluid lies half a voxel too far inside.
/// By `third`, which follows from the magic number as TRT's odd rate does, it lies where it should, but vortices ring.
/// So the rate goes from the one to the other as the cumulants grow (the limiter of Geier, Pasquali, Schoenherr, J.
/// Comput. Phys. 348 (2017) 862, eqs. 97 to 99, here of all six together, with 0.001 for their 0.01, at which an
/// aorta's bifurcation became unstable).
template <class Model, class Scalar, class Number, class Real>
[[gnu::always_inline]] inline void relax(Cloud<Real>& s, const Number& rate, const Number& bulk, const Number& third,
                                         const Number (&half_force)[3]) {
  const Number keep = Scalar(1) - rate, half = Scalar(1) - Scalar(0.5) * rate, keep_bulk = Scalar(1) - bulk,
               half_bulk = Scalar(1) - Scalar(0.5) * bulk;
  Real size{};
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis;
    size += (s.aab[d] > 0 ? s.aab[d] : -s.aab[d]) + (s.abb[d] > 0 ? s.abb[d] : -s.abb[d]);
  });
  constexpr Scalar limit = Scalar(0.001);
  const Real odd_keep = ((Scalar(1) - third) * limit) / (limit + size);
  const Number slope = Scalar(-4.5) * rate, slope_bulk = Scalar(-4.5) * bulk;
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
    s.spread[d] = keep * apart[d] - half * (frame[d] - frames) + trace;
    s.mixed[d] = keep * s.mixed[d];
    s.aab[d] = odd_keep * s.aab[d];
    s.abb[d] = odd_keep * s.abb[d];
    s.mean[d] += half_force[d] + half_force[d];
  });
}

template <class Model, class Scalar, class Number, class Real>
[[gnu::always_inline]] inline void collide_cumulants(Real (&f)[Model::directions], const Rates<Number>& rates) {
  auto cloud = cloud_of<Model, Scalar>(f, rates.compressible);
  relax<Model, Scalar>(cloud, rates.stress, rates.trace, rates.third, rates.half_force);
  populations_of<Model, Scalar>(cloud, f);
}

/// Each site with a rate of its own, by its stress beyond equilibrium.
template <class Model, class Scalar, class Real>
[[gnu::always_inline]] inline void collide_cumulants_locally(Real (&f)[Model::directions],
                                                             const LocalRates<Scalar>& given) {
  auto cloud = cloud_of<Model, Scalar>(f, given.compressible);
  const auto& c = cloud.spread;
  const auto& m = cloud.mixed;
  const Real square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + Scalar(2) * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
  Real rate, bulk = Real{} + given.trace, half_force[3];
  for (std::size_t l = 0; l < sizeof(Real) / sizeof(Scalar); ++l)
    rate[l] = static_cast<Scalar>(rate_in_table(given, static_cast<double>(square[l])));
  for (int d = 0; d < 3; ++d) half_force[d] = Real{} + given.half_force[d];
  const Real third = Scalar(1) / (given.magic / (Scalar(1) / rate - Scalar(0.5)) + Scalar(0.5));
  relax<Model, Scalar>(cloud, rate, bulk, third, half_force);
  populations_of<Model, Scalar>(cloud, f);
}

}  // namespace weft::lattice::detail
