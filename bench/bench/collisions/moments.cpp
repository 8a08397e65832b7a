// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collisions/moments.hpp"

namespace weft::bench {

namespace {

using lattice::D3Q27;

/// Calls along_axis(first, second, third) for each of the 9 lines of numbers along an axis.
template <class Function>
void each_line(CentralMoments& m, int axis, const Function& along_axis) {
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
double& rotated(CentralMoments& m, std::size_t first, std::size_t a, std::size_t b, std::size_t c) {
  return first == 0 ? m.at[a][b][c] : first == 1 ? m.at[c][a][b] : m.at[b][c][a];
}

double beyond_211(const Rotated& k) { return k(2, 0, 0) * k(0, 1, 1) + 2 * k(1, 1, 0) * k(1, 0, 1); }
double beyond_220(const Rotated& k) { return k(2, 0, 0) * k(0, 2, 0) + 2 * k(1, 1, 0) * k(1, 1, 0); }
double beyond_122(const Rotated& k) {
  return k(0, 0, 2) * k(1, 2, 0) + k(0, 2, 0) * k(1, 0, 2) + 4 * k(0, 1, 1) * k(1, 1, 1) +
         2 * (k(1, 0, 1) * k(0, 2, 1) + k(1, 1, 0) * k(0, 1, 2));
}
double beyond_222(const CentralMoments& m) {
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

}  // namespace

Bulk bulk_of(const SitePopulations& f) {
  Bulk bulk{0, {}};
  for (std::size_t i = 0; i < f.size(); ++i) {
    bulk.density += f[i];
    for (std::size_t a = 0; a < 3; ++a) bulk.velocity[a] += f[i] * D3Q27::velocity[i][a];
  }
  for (auto& u : bulk.velocity) u /= bulk.density;
  return bulk;
}

CentralMoments central_moments(const SitePopulations& f, const Bulk& bulk) {
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

SitePopulations populations_of(const CentralMoments& moments, const Bulk& bulk) {
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

CentralMoments cumulants_of(CentralMoments m) {
  m.at[2][2][2] -= beyond_222(m);  // highest order first, while the lower orders are still moments
  for (std::size_t first = 0; first < 3; ++first) rotated(m, first, 1, 2, 2) -= beyond_122({m, first});
  for (std::size_t first = 0; first < 3; ++first) {
    rotated(m, first, 2, 1, 1) -= beyond_211({m, first});
    rotated(m, first, 2, 2, 0) -= beyond_220({m, first});
  }
  return m;
}

CentralMoments moments_of(CentralMoments m) {
  for (std::size_t first = 0; first < 3; ++first) {
    rotated(m, first, 2, 1, 1) += beyond_211({m, first});
    rotated(m, first, 2, 2, 0) += beyond_220({m, first});
  }
  for (std::size_t first = 0; first < 3; ++first) rotated(m, first, 1, 2, 2) += beyond_122({m, first});
  m.at[2][2][2] += beyond_222(m);
  return m;
}

CentralMoments maxwellian() {
  constexpr std::array<double, 3> one_axis = {1, 0, 1.0 / 3};
  CentralMoments m;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t c = 0; c < 3; ++c) m.at[a][b][c] = one_axis[a] * one_axis[b] * one_axis[c];
  return m;
}

}  // namespace weft::bench
