// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/wall_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace weft::flow {

using geometry::dot;
using geometry::operator*;
using geometry::Vector;

namespace {

constexpr std::size_t terms = 14;
using Row = std::array<double, terms>;

/// The polynomial's terms at depth y below the wall and s, t along it.
Row values_at(double y, double s, double t) {
  return {1, y, s, t, y * y, s * s, s * t, t * t, y * s, y * t, y * y * y, y * s * s, y * s * t, y * t * t};
}
/// Their derivatives along the depth.
Row derivatives_at(double y, double s, double t) {
  return {0, 1, 0, 0, 2 * y, 0, 0, 0, s, t, 3 * y * y, s * s, s * t, t * t};
}

/// A symmetric positive definite system for the terms; only the lower triangle is used.
struct System {
  std::array<Row, terms> m{};

  void add(const Row& row, double weight) {
    for (std::size_t i = 0; i < terms; ++i)
      for (std::size_t j = 0; j <= i; ++j) m[i][j] += weight * row[i] * row[j];
  }
  /// Cholesky factorisation in place; false if the matrix is singular to within rounding.
  bool factorise() {
    for (std::size_t j = 0; j < terms; ++j) {
      const double whole = m[j][j];
      for (std::size_t k = 0; k < j; ++k) m[j][j] -= m[j][k] * m[j][k];
      if (!(m[j][j] > 1e-9 * whole)) return false;
      m[j][j] = std::sqrt(m[j][j]);
      for (std::size_t i = j + 1; i < terms; ++i) {
        for (std::size_t k = 0; k < j; ++k) m[i][j] -= m[i][k] * m[j][k];
        m[i][j] /= m[j][j];
      }
    }
    return true;
  }
  Row solve(Row b) const {
    for (std::size_t i = 0; i < terms; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= m[i][k] * b[k];
      b[i] /= m[i][i];
    }
    for (std::size_t i = terms; i-- > 0;) {
      for (std::size_t k = i + 1; k < terms; ++k) b[i] -= m[k][i] * b[k];
      b[i] /= m[i][i];
    }
    return b;
  }
};

double product(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t k = 0; k < terms; ++k) sum += a[k] * b[k];
  return sum;
}

struct Fit {
  std::vector<WallFit::Entry> entries{};
  double amplification = 0;  ///< of independent errors: root of the sum of squared weights
};

Fit fit_within(double reach, const Vector& normal, std::span<const WallFit::Site> sites) {
  const Vector axis = std::abs(normal[0]) < 0.6 ? Vector{1, 0, 0} : Vector{0, 1, 0};
  const auto u = geometry::normalised(geometry::cross(normal, axis)), v = geometry::cross(normal, u);
  // Lengths are in units of the reach, so that no term is much larger than another.
  struct Datum {
    std::uint32_t place;
    double weight;
    Row value, derivative;
  };
  std::vector<Datum> data;
  System system;
  for (const auto& site : sites) {
    const auto r = (1 / reach) * site.at;
    const double y = -dot(r, normal), s = dot(r, u), t = dot(r, v);
    const double trust = std::min(1.0, y * reach / WallFit::trusted), weight = trust * trust * (1 - dot(r, r));
    if (!(weight > 0)) continue;
    data.push_back({site.place, weight, values_at(y, s, t), derivatives_at(y, s, t)});
    for (auto& d : data.back().derivative) d /= reach;
    system.add(data.back().value, weight);
    system.add(data.back().derivative, weight);
  }
  Fit fit;
  if (2 * data.size() < terms + 4 || !system.factorise()) return fit;
  const auto solution = system.solve({0, 1 / reach});
  for (const auto& d : data) {
    const double velocity = d.weight * product(solution, d.value),
                 gradient = d.weight * product(solution, d.derivative);
    fit.amplification += velocity * velocity + gradient * gradient;
    fit.entries.push_back({d.place, static_cast<float>(velocity), static_cast<float>(gradient)});
  }
  fit.amplification = std::sqrt(fit.amplification);
  return fit;
}

}  // namespace

std::vector<WallFit::Entry> WallFit::weights(const Vector& normal, std::span<const Site> sites) {
  constexpr double step = 0.5, useless = 3;
  Fit best{{}, useless};
  for (double reach = least_reach; reach <= largest_reach; reach += step) {
    auto fit = fit_within(reach, normal, sites);
    if (fit.entries.empty() || !(fit.amplification < best.amplification)) continue;
    best = std::move(fit);
    if (best.amplification < 1) break;
  }
  return best.entries;
}

}  // namespace weft::flow
