// SPDX-License-Identifier: BSD-3-Clause
//
// The collision with cumulants of one site of D3Q27, written plainly: the library's kernel is compared with it.
#pragma once

#include <array>
#include <cmath>

#include "geometry/vector.hpp"
#include "lattice/velocity_sets.hpp"

namespace weft::testing {

/// The populations of one site, in the order of lattice::D3Q27.
using SitePopulations = std::array<double, lattice::D3Q27::directions>;

struct Bulk {
  double density;
  geometry::Vector velocity;
};

/// at[a][b][c] is the moment (or cumulant) of x^a y^b z^c about the mean velocity, divided by the density.
struct CentralMoments {
  std::array<std::array<std::array<double, 3>, 3>, 3> at{};
};

/// A fluid in lattice units.
struct PlainFluid {
  explicit PlainFluid(double viscosity, const geometry::Vector& force_in)
      : stress_rate(1 / (3 * viscosity + 0.5)), odd_rate(1 / (3.0 / 16 / (3 * viscosity) + 0.5)), force(force_in) {}

  double stress_rate;      ///< of the traceless stress: 1 / tau
  double odd_rate;         ///< chosen so that (tau - 1/2) (tau_odd - 1/2) is 3/16
  geometry::Vector force;  ///< per unit of mass
};

using lattice::D3Q27;

/// Calls along_axis(first, second, third) for each of the 9 lines of numbers along an axis.
template <class Function>
inline void each_line(CentralMoments& m, int axis, const Function& along_axis) {
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto number = [&](std::size_t i) -> double& {
        return axis == 0 ? m.at[i][j][k] : axis == 1 ? m.at[j][i][k] : m.at[j][k][i];
      };
      along_axis(number(0), number(1), number(2));
    }
}

// Differences between moments and cumulants of an order: sums of products of lower-order moments. The axes a, b, c are
// a cyclic permutation of x, y, z.

struct Rotated {
  const CentralMoments& m;
  std::size_t first;  ///< the axis a
  double operator()(std::size_t a, std::size_t b, std::size_t c) const {
    return first == 0 ? m.at[a][b][c] : first == 1 ? m.at[c][a][b] : m.at[b][c][a];
  }
};
inline double& rotated(CentralMoments& m, std::size_t first, std::size_t a, std::size_t b, std::size_t c) {
  return first == 0 ? m.at[a][b][c] : first == 1 ? m.at[c][a][b] : m.at[b][c][a];
}

inline double beyond_211(const Rotated& k) { return k(2, 0, 0) * k(0, 1, 1) + 2 * k(1, 1, 0) * k(1, 0, 1); }
inline double beyond_220(const Rotated& k) { return k(2, 0, 0) * k(0, 2, 0) + 2 * k(1, 1, 0) * k(1, 1, 0); }
inline double beyond_122(const Rotated& k) {
  return k(0, 0, 2) * k(1, 2, 0) + k(0, 2, 0) * k(1, 0, 2) + 4 * k(0, 1, 1) * k(1, 1, 1) +
         2 * (k(1, 0, 1) * k(0, 2, 1) + k(1, 1, 0) * k(0, 1, 2));
}
inline double beyond_222(const CentralMoments& m) {
  const Rotated x{m, 0};
  double sum = 4 * x(1, 1, 1) * x(1, 1, 1) - 16 * x(1, 1, 0) * x(1, 0, 1) * x(0, 1, 1) -
               2 * x(2, 0, 0) * x(0, 2, 0) * x(0, 0, 2);
  for (std::size_t first = 0; first < 3; ++first) {
    const Rotated k{m, first};
    sum += k(2, 0, 0) * k(0, 2, 2) + 4 * k(0, 1, 1) * k(2, 1, 1) + 2 * k(1, 2, 0) * k(1, 0, 2) -
           4 * k(2, 0, 0) * k(0, 1, 1) * k(0, 1, 1);
  }
  return sum;
}

inline Bulk bulk_of(const SitePopulations& f) {
  Bulk bulk{0, {}};
  for (std::size_t i = 0; i < f.size(); ++i) {
    bulk.density += f[i];
    for (std::size_t a = 0; a < 3; ++a) bulk.velocity[a] += f[i] * D3Q27::velocity[i][a];
  }
  for (auto& u : bulk.velocity) u /= bulk.density;
  return bulk;
}

inline CentralMoments central_moments(const SitePopulations& f, const Bulk& bulk) {
  CentralMoments m;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto& c = D3Q27::velocity[i];
    m.at[std::size_t(c[0] + 1)][std::size_t(c[1] + 1)][std::size_t(c[2] + 1)] = f[i] / bulk.density;
  }
  for (int axis = 0; axis < 3; ++axis) {
    const double u = bulk.velocity[std::size_t(axis)];
    each_line(m, axis, [u](double& first, double& second, double& third) {
      const double all = first + second + third, flux = third - first, square = third + first;
      first = all;
      second = flux - u * all;
      third = square - 2 * u * flux + u * u * all;
    });
  }
  return m;
}

inline SitePopulations populations_of(const CentralMoments& moments, const Bulk& bulk) {
  auto m = moments;
  for (int axis = 0; axis < 3; ++axis) {
    const double u = bulk.velocity[std::size_t(axis)];
    each_line(m, axis, [u](double& first, double& second, double& third) {
      const double all = first, flux = second + u * all, square = third + 2 * u * second + u * u * all;
      first = (square - flux) / 2;
      second = all - square;
      third = (square + flux) / 2;
    });
  }
  SitePopulations f;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto& c = D3Q27::velocity[i];
    f[i] = bulk.density * m.at[std::size_t(c[0] + 1)][std::size_t(c[1] + 1)][std::size_t(c[2] + 1)];
  }
  return f;
}

/// Cumulants differ from central moments from the fourth order on (Geier, Schoenherr, Pasquali, Krafczyk, Comput. Math.
/// Appl. 70 (2015) 507, appendix J).
inline CentralMoments cumulants_of(CentralMoments m) {
  m.at[2][2][2] -= beyond_222(m);  // highest order first, while the lower orders are still moments
  for (std::size_t first = 0; first < 3; ++first) rotated(m, first, 1, 2, 2) -= beyond_122({m, first});
  for (std::size_t first = 0; first < 3; ++first) {
    rotated(m, first, 2, 1, 1) -= beyond_211({m, first});
    rotated(m, first, 2, 2, 0) -= beyond_220({m, first});
  }
  return m;
}

inline CentralMoments moments_of(CentralMoments m) {
  for (std::size_t first = 0; first < 3; ++first) {
    rotated(m, first, 2, 1, 1) += beyond_211({m, first});
    rotated(m, first, 2, 2, 0) += beyond_220({m, first});
  }
  for (std::size_t first = 0; first < 3; ++first) rotated(m, first, 1, 2, 2) += beyond_122({m, first});
  m.at[2][2][2] += beyond_222(m);
  return m;
}

using geometry::Vector;

/// Second-order moments: variances less 1/3, covariances xy, xz, yz.
struct Spread27 {
  Vector variance, mixed;
  double mean() const { return (variance[0] + variance[1] + variance[2]) / 3; }
};

inline Spread27 spread_in(const CentralMoments& m) {
  return {{m.at[2][0][0] - 1.0 / 3, m.at[0][2][0] - 1.0 / 3, m.at[0][0][2] - 1.0 / 3},
          {m.at[1][1][0], m.at[1][0][1], m.at[0][1][1]}};
}

inline void set_spread(CentralMoments& m, const Spread27& s) {
  m.at[0][0][0] = 1;
  m.at[1][0][0] = m.at[0][1][0] = m.at[0][0][1] = 0;
  m.at[2][0][0] = s.variance[0] + 1.0 / 3, m.at[0][2][0] = s.variance[1] + 1.0 / 3,
  m.at[0][0][2] = s.variance[2] + 1.0 / 3;
  m.at[1][1][0] = s.mixed[0], m.at[1][0][1] = s.mixed[1], m.at[0][1][1] = s.mixed[2];
}

/// The velocity gradients d u_a / d a, from the stress.
inline Vector stretching(const Spread27& before, double rate) {
  Vector gradient;
  for (std::size_t a = 0; a < 3; ++a)
    gradient[a] = -1.5 * rate * (before.variance[a] - before.mean()) - 1.5 * before.mean();
  return gradient;
}

/// Relaxes the trace at once, the rest with the rate, with the terms that make the viscosity independent of the
/// velocity (Geier et al. 2015, eqs. 60 to 69). advection: correction of the equilibrium.
inline Spread27 relaxed(Spread27 before, double rate, const Vector& u, const Vector& advection) {
  using geometry::operator-;
  before.variance = before.variance - advection;
  const auto gradient = stretching(before, rate);
  Vector frame{};
  for (std::size_t a = 0; a < 3; ++a) frame[a] = 3 * u[a] * u[a] * gradient[a];
  const double frames = (frame[0] + frame[1] + frame[2]) / 3;
  Spread27 after;
  for (std::size_t a = 0; a < 3; ++a) {
    after.variance[a] = (1 - rate) * (before.variance[a] - before.mean()) - (1 - rate / 2) * (frame[a] - frames) -
                        frames / 2 + advection[a];
    after.mixed[a] = (1 - rate) * before.mixed[a];
  }
  return after;
}

inline Bulk moved(const Bulk& bulk, const Vector& force) {
  return {bulk.density, geometry::operator+(bulk.velocity, force)};
}

/// Populations with the given second-order moments and the third-order moments of `third`, without higher cumulants
/// except those of `fourth`.
inline SitePopulations without_more(CentralMoments third, const Spread27& second, const Bulk& bulk) {
  set_spread(third, second);
  return populations_of(moments_of(third), bulk);
}

/// weft's collision, as in lattice/detail/collide_cumulant.hpp, without its optimisations. `advection`: the correction
/// of the equilibrium variances. The new populations include the whole force of the step.
inline void collide_cumulant(SitePopulations& f, const PlainFluid& fluid, const Bulk& bulk, const Vector& advection) {
  const auto before = central_moments(f, bulk);
  const auto& k = before.at;
  const double size = std::abs(k[2][1][0]) + std::abs(k[1][2][0]) + std::abs(k[2][0][1]) + std::abs(k[1][0][2]) +
                      std::abs(k[0][2][1]) + std::abs(k[0][1][2]);
  const double keep = (1 - fluid.odd_rate) * 0.01 / (0.01 + size);
  CentralMoments after;
  after.at[1][1][1] = keep * k[1][1][1];
  after.at[2][1][0] = keep * k[2][1][0], after.at[1][2][0] = keep * k[1][2][0];
  after.at[2][0][1] = keep * k[2][0][1], after.at[1][0][2] = keep * k[1][0][2];
  after.at[0][2][1] = keep * k[0][2][1], after.at[0][1][2] = keep * k[0][1][2];
  f = without_more(after, relaxed(spread_in(before), fluid.stress_rate, bulk.velocity, advection),
                   moved(bulk, fluid.force));
}

}  // namespace weft::testing
