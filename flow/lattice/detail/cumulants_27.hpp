// SPDX-License-Identifier: BSD-3-Clause
//
// Cumulants of D3Q27's populations, and back. Included by files that are compiled for one instruction set.
#pragma once

#include <array>
#include <cstddef>

#include "lattice/detail/fused.hpp"
#include "lattice/velocity_sets.hpp"

namespace weft::lattice::detail {

/// Mean, covariance and density of a site's populations, regarded as a distribution of velocities.
template <class Real>
struct Cloud {
  Real excess, density, inverse;  ///< density minus 1; the momentum's density; 1 over it
  Real mean[3];                   ///< without the force
  Real spread[3], mixed[3];       ///< covariance: xx yy zz, each minus 1/3, and xy xz yz
  Real aab[3], abb[3];            ///< cumulants of the third order with two axes, a and b the pairs xy xz yz
  Real xyz;                       ///< the one with all three axes; D3Q27 only
};

/// The moments of orders 0, 1, 2 of the velocities -1, 0, 1 along an axis.
template <class Real>
struct AlongAxis {
  Real whole, difference, square;
  [[gnu::always_inline]] AlongAxis(const Real& below, const Real& rest, const Real& above)
      : difference(above - below), square(above + below) {
    whole = rest + square;
  }
};

/// The index of a velocity (x, y, z), each of -1, 0, 1, among D3Q27's directions.
consteval int direction_27(int x, int y, int z) {
  for (int i = 0; i < 27; ++i)
    if (D3Q27::velocity[std::size_t(i)] == std::array{x, y, z}) return i;
  return -1;
}

/// Computes the moments axis by axis, each sum of three populations once. compressible: 1, or 0 for a fluid whose
/// momentum is based on the reference density (He and Luo).
template <class Scalar, class Real>
[[gnu::always_inline]] inline Cloud<Real> cloud_of_27(const Real (&f)[27], const Scalar& compressible) {
  Real of_x[3][3][3];  // order in x; y and z from -1 on
  unrolled<3>([&](auto y) __attribute__((always_inline)) {
    unrolled<3>([&](auto z) __attribute__((always_inline)) {
      const AlongAxis<Real> x(f[direction_27(-1, y - 1, z - 1)], f[direction_27(0, y - 1, z - 1)],
                              f[direction_27(1, y - 1, z - 1)]);
      of_x[0][y][z] = x.whole;
      of_x[1][y][z] = x.difference;
      of_x[2][y][z] = x.square;
    });
  });
  Real of_xy[3][3][3];  // orders in x and y, z
  unrolled<3>([&](auto x) __attribute__((always_inline)) {
    unrolled<3>([&](auto z) __attribute__((always_inline)) {
      const AlongAxis<Real> y(of_x[x][0][z], of_x[x][1][z], of_x[x][2][z]);
      of_xy[x][0][z] = y.whole;
      of_xy[x][1][z] = y.difference;
      of_xy[x][2][z] = y.square;
    });
  });
  const auto along_z = [&](int x, int y) __attribute__((always_inline)) {
    return AlongAxis<Real>(of_xy[x][y][0], of_xy[x][y][1], of_xy[x][y][2]);
  };
  const auto m00 = along_z(0, 0), m10 = along_z(1, 0), m01 = along_z(0, 1), m20 = along_z(2, 0), m11 = along_z(1, 1),
             m02 = along_z(0, 2);
  Cloud<Real> s;
  s.excess = m00.whole;
  s.density = fused(compressible, s.excess, all_lanes<Real>(Scalar(1)));
  s.inverse = Scalar(1) / s.density;
  const Real& inverse = s.inverse;
  s.mean[0] = inverse * m10.whole;
  s.mean[1] = inverse * m01.whole;
  s.mean[2] = inverse * m00.difference;
  const auto& u = s.mean;
  const Real second[3] = {m20.whole, m02.whole, m00.square}, mixed[3] = {m11.whole, m10.difference, m01.difference};
  Real square[3], product[3];  // E[a^2] minus 1/3, E[ab]
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
    square[d] = inverse * fused(Scalar(-1.0 / 3), s.excess, second[d]);
    product[d] = inverse * mixed[d];
    s.spread[d] = fused<-1>(u[d], u[d], square[d]);
    s.mixed[d] = fused<-1>(u[a], u[b], product[d]);
  });
  const Real aab[3] = {along_z(2, 1).whole, m20.difference, m02.difference},
             abb[3] = {along_z(1, 2).whole, m10.square, m01.square};
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int d = axis, a = d == 2 ? 1 : 0, b = d == 0 ? 1 : 2;
    const Real twice = s.mixed[d] + s.mixed[d];
    s.aab[d] = fused<-1>(twice, u[a], fused<-1>(square[a] + Scalar(1.0 / 3), u[b], inverse * aab[d]));
    s.abb[d] = fused<-1>(twice, u[b], fused<-1>(square[b] + Scalar(1.0 / 3), u[a], inverse * abb[d]));
  });
  s.xyz =
      fused<-1>(u[0], product[2], fused<-1>(u[1], s.mixed[1], fused<-1>(u[2], s.mixed[0], inverse * m11.difference)));
  return s;
}

/// For one axis: converts the moments of orders 0, 1, 2 about the mean u (half of those of orders 1 and 2) to the
/// populations of the velocities -1, 0, 1. All are minus their values at rest, which is `rest` for order 0.
template <class Scalar, class Real>
[[gnu::always_inline]] inline void from_central(Real& first, Real& second, Real& third, const Real& u,
                                                const Real& half_u, Scalar rest) {
  const Real m1 = fused(half_u, rest == 0 ? first : first + rest, second), m2 = fused(u, second + m1, third);
  third = m2 + m1;
  second = fused(Scalar(-2), m2, first);
  first = m2 - m1;
}

/// The populations (f - w) with this density, mean, covariance and third cumulants, and no cumulants beyond (Geier et
/// al. 2015, appendix): moments about the mean follow from the cumulants as sums over partitions, populations from
/// these axis by axis. The values of moments at rest (1/3, 1/9, 1/27 of the even ones) are subtracted throughout, so
/// that single precision loses nothing. Each moment is halved for each axis that it contains (see from_central). put(i,
/// f): stores the population of direction i as soon as it is computed.
template <class Scalar, class Real, class Put>
[[gnu::always_inline]] inline void populations_of_27(const Cloud<Real>& s, const Scalar& compressible, const Put& put) {
  constexpr Scalar third = Scalar(1.0 / 3);
  const Real excess = compressible * s.excess;
  const Real &a = s.spread[0], &b = s.spread[1], &c = s.spread[2], &p = s.mixed[0], &r = s.mixed[1], &q = s.mixed[2];
  const Real xx = a + third, yy = b + third, zz = c + third;
  const Real &xxy = s.aab[0], &xyy = s.abb[0], &xxz = s.aab[1], &xzz = s.abb[1], &yyz = s.aab[2], &yzz = s.abb[2],
             &xyz = s.xyz;
  const Real rho2 = Scalar(0.5) * s.density, rho4 = Scalar(0.25) * s.density, rho8 = Scalar(0.125) * s.density;
  const Real twice_p = p + p, twice_q = q + q, twice_r = r + r;
  Real k[3][3][3];
  k[0][0][0] = excess;
  const Real share = Scalar(1.0 / 6) * excess, ninth = Scalar(1.0 / 36) * excess, last = Scalar(1.0 / 216) * excess;
  k[2][0][0] = fused(rho2, a, share);
  k[0][2][0] = fused(rho2, b, share);
  k[0][0][2] = fused(rho2, c, share);
  k[1][1][0] = rho4 * p;
  k[1][0][1] = rho4 * r;
  k[0][1][1] = rho4 * q;
  k[2][1][0] = rho4 * xxy;
  k[1][2][0] = rho4 * xyy;
  k[2][0][1] = rho4 * xxz;
  k[1][0][2] = rho4 * xzz;
  k[0][2][1] = rho4 * yyz;
  k[0][1][2] = rho4 * yzz;
  k[1][1][1] = rho8 * xyz;
  const Real ab = a * b, ac = a * c, bc = b * c;
  k[2][2][0] = fused(rho4, fused(third, a + b, fused(twice_p, p, ab)), ninth);
  k[2][0][2] = fused(rho4, fused(third, a + c, fused(twice_r, r, ac)), ninth);
  k[0][2][2] = fused(rho4, fused(third, b + c, fused(twice_q, q, bc)), ninth);
  k[2][1][1] = rho8 * fused(xx, q, twice_p * r);
  k[1][2][1] = rho8 * fused(yy, r, twice_p * q);
  k[1][1][2] = rho8 * fused(zz, p, twice_r * q);
  const Real four_xyz = Scalar(4) * xyz;
  k[1][2][2] = rho8 * fused(zz, xyy, fused(yy, xzz, fused(twice_p, yzz, fused(twice_r, yyz, q * four_xyz))));
  k[2][1][2] = rho8 * fused(zz, xxy, fused(xx, yzz, fused(twice_p, xzz, fused(twice_q, xxz, r * four_xyz))));
  k[2][2][1] = rho8 * fused(yy, xxz, fused(xx, yyz, fused(twice_r, xyy, fused(twice_q, xxy, p * four_xyz))));
  const Real triple = fused(xxy, yzz, fused(xxz, yyz, xyy * xzz)),
             squares = fused(xx * twice_q, q, fused(yy * twice_r, r, (zz * twice_p) * p)),
             flat = fused(third, a + b + c, ab + ac + bc);
  const Real beyond = fused(ab, c, fused(Scalar(8) * (p * r), q, fused(four_xyz, xyz, triple + triple)));
  k[2][2][2] = fused(rho8, fused(third, flat, squares + beyond), last);

  const auto& u = s.mean;
  const Real half_u[3] = {Scalar(0.5) * u[0], Scalar(0.5) * u[1], Scalar(0.5) * u[2]};
  // At rest: 1, 0, 1/3, the last one halved; then the populations.
  constexpr Scalar even[3] = {Scalar(1), Scalar(0), Scalar(1.0 / 6)},
                   weight[3] = {Scalar(1.0 / 6), Scalar(2.0 / 3), Scalar(1.0 / 6)};
  // The momentum about the mean is zero.
  k[1][0][0] = k[0][1][0] = k[0][0][1] = Real{};
  unrolled<3>([&](auto y) __attribute__((always_inline)) {
    unrolled<3>([&](auto z) __attribute__((always_inline)) {
      from_central<Scalar>(k[0][y][z], k[1][y][z], k[2][y][z], u[0], half_u[0], even[y] * even[z]);
    });
  });
  unrolled<3>([&](auto x) __attribute__((always_inline)) {
    unrolled<3>([&](auto z) __attribute__((always_inline)) {
      from_central<Scalar>(k[x][0][z], k[x][1][z], k[x][2][z], u[1], half_u[1], weight[x] * even[z]);
    });
    unrolled<3>([&](auto y) __attribute__((always_inline)) {
      from_central<Scalar>(k[x][y][0], k[x][y][1], k[x][y][2], u[2], half_u[2], weight[x] * weight[y]);
    });
    unrolled<9>([&](auto i) __attribute__((always_inline)) {
      constexpr int y = i / 3, z = i % 3;
      put(direction_27(x - 1, y - 1, z - 1), k[x][y][z]);
    });
  });
}

}  // namespace weft::lattice::detail
