// SPDX-License-Identifier: BSD-3-Clause
#include "flow/lumen/section_flow.hpp"

#include <algorithm>
#include <cmath>

namespace weft::flow {

namespace {

using Phasor = std::complex<double>;

// Complex arithmetic without the standard's handling of infinities, which takes longer than the product itself.
double times(double a, double b) { return a * b; }
Phasor times(const Phasor& a, const Phasor& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
double inverse(double a) { return 1 / a; }
Phasor inverse(const Phasor& a) {
  const double square = a.real() * a.real() + a.imag() * a.imag();
  return {a.real() / square, -a.imag() / square};
}
double magnitude_squared(double a) { return a * a; }
double magnitude_squared(const Phasor& a) { return a.real() * a.real() + a.imag() * a.imag(); }

/// shift u - laplace u in units of the grid's width. The matrix is symmetric, also for complex numbers (no conjugates).
template <class Number>
class Equation {
 public:
  Equation(const SectionGrid& grid, Number shift) : grid_(grid), diagonal_(grid.size(), shift), pivot_(grid.size()) {
    for (std::size_t k = 0; k < grid.size(); ++k) {
      for (const auto& side : grid.sides(k)) diagonal_[k] += 1 / side.distance;
      Number pivot = diagonal_[k];
      for (const auto side : {SectionGrid::left, SectionGrid::down})
        if (const auto next = grid.sides(k)[side].next; next >= 0) pivot -= pivot_[static_cast<std::size_t>(next)];
      pivot_[k] = inverse(pivot);
    }
  }

  std::vector<Number> solve(double right_side) const {
    const std::size_t n = grid_.size();
    std::vector<Number> u(n), r(n, right_side), z(n), p(n), q(n);
    constexpr double wanted = 1e-10;
    const double enough = wanted * wanted * right_side * right_side * static_cast<double>(n);
    Number rho{1};
    for (std::size_t turn = 0; turn < 10 * n + 10; ++turn) {
      if (residual_squared(r) <= enough) break;
      precondition(r, z);
      const Number next = product(r, z);
      const Number beta = turn == 0 ? Number{} : times(next, inverse(rho));
      rho = next;
      for (std::size_t k = 0; k < n; ++k) p[k] = z[k] + times(beta, p[k]);
      apply(p, q);
      const Number alpha = times(rho, inverse(product(p, q)));
      for (std::size_t k = 0; k < n; ++k) {
        u[k] += times(alpha, p[k]);
        r[k] -= times(alpha, q[k]);
      }
    }
    return u;
  }

 private:
  static double residual_squared(const std::vector<Number>& r) {
    double sum = 0;
    for (const auto& x : r) sum += magnitude_squared(x);
    return sum;
  }
  static Number product(const std::vector<Number>& a, const std::vector<Number>& b) {
    Number sum{};
    for (std::size_t k = 0; k < a.size(); ++k) sum += times(a[k], b[k]);
    return sum;
  }
  void apply(const std::vector<Number>& p, std::vector<Number>& q) const {
    for (std::size_t k = 0; k < p.size(); ++k) {
      q[k] = times(diagonal_[k], p[k]);
      for (const auto& side : grid_.sides(k))
        if (side.next >= 0) q[k] -= p[static_cast<std::size_t>(side.next)];
    }
  }
  // Solves (L + D) D^-1 (D + L^T) z = r, with L the strict lower triangle of the matrix.
  void precondition(const std::vector<Number>& r, std::vector<Number>& z) const {
    for (std::size_t k = 0; k < r.size(); ++k) {
      Number sum = r[k];
      for (const auto side : {SectionGrid::left, SectionGrid::down})
        if (const auto next = grid_.sides(k)[side].next; next >= 0) sum += z[static_cast<std::size_t>(next)];
      z[k] = times(sum, pivot_[k]);
    }
    for (std::size_t k = r.size(); k-- > 0;)
      for (const auto side : {SectionGrid::right, SectionGrid::up})
        if (const auto next = grid_.sides(k)[side].next; next >= 0)
          z[k] += times(pivot_[k], z[static_cast<std::size_t>(next)]);
  }

  const SectionGrid& grid_;
  std::vector<Number> diagonal_, pivot_;
};

/// Scales a field to a mean of 1.
template <class Number>
std::vector<Number> normalised(std::vector<Number> u) {
  Number sum{};
  for (const auto& x : u) sum += x;
  const Number factor = static_cast<double>(u.size()) * inverse(sum);
  for (auto& x : u) x = times(x, factor);
  return u;
}

}  // namespace

std::vector<double> steady_flow(const SectionGrid& grid) {
  if (grid.size() == 0) return {};
  return normalised(Equation<double>(grid, 0).solve(1));
}

OscillatingFlow oscillating_flow(const SectionGrid& grid, double rate) {
  OscillatingFlow flow;
  if (grid.size() == 0) return flow;
  const auto u = normalised(Equation<Phasor>(grid, Phasor(0, rate * grid.width() * grid.width())).solve(1));
  for (const auto& x : u) {
    flow.real.push_back(x.real());
    flow.imaginary.push_back(x.imag());
  }
  return flow;
}

}  // namespace weft::flow
