// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "lattice/dense_lattice.hpp"

namespace weft::test {

/// The lattice-Boltzmann method as in textbooks, slow: two arrays, whole populations, pulled from the neighbours in a
/// periodic box; Krueger et al., The Lattice Boltzmann Method (2017), chapters 3, 6 and 10.
class DenseReference {
 public:
  using Site = lattice::DenseLattice::Site;
  using State = lattice::DenseLattice::State;

  /// Velocities and weights are looked up in `sets`.
  DenseReference(const lattice::DenseLattice& sets, const lattice::DenseParameters& p)
      : n_(sets.block()), c_(sets.velocities()), w_(sets.weights()), p_(p) {
    for (std::size_t i = 0; i < c_.size(); ++i) opposite_.push_back(std::size_t(sets.opposite(int(i))));
    f_.resize(n_[0] * n_[1] * n_[2] * c_.size());
  }

  template <class Function>
  void initialise(const Function& state) {
    for_each([&](const Site& s) {
      const State start = state(s);
      for (std::size_t i = 0; i < c_.size(); ++i) f_[at(s) + i] = equilibrium(i, start.density, start.velocity);
    });
  }

  void step() {
    for_each([&](const Site& s) { collide(f_.data() + at(s)); });
    auto next = f_;
    for_each([&](const Site& s) {
      for (std::size_t i = 0; i < c_.size(); ++i) {
        Site from = s;
        for (std::size_t a = 0; a < 3; ++a) from[a] = (s[a] - c_[i][a] + std::ptrdiff_t(n_[a])) % std::ptrdiff_t(n_[a]);
        next[at(s) + i] = f_[at(from) + i];
      }
    });
    f_ = next;
  }

  const double* of(const Site& s) const { return f_.data() + at(s); }

 private:
  std::size_t at(const Site& s) const {
    return ((std::size_t(s[0]) * n_[1] + std::size_t(s[1])) * n_[2] + std::size_t(s[2])) * c_.size();
  }
  template <class Function>
  void for_each(const Function& f) const {
    for (std::size_t x = 0; x < n_[0]; ++x)
      for (std::size_t y = 0; y < n_[1]; ++y)
        for (std::size_t z = 0; z < n_[2]; ++z) f(Site{std::ptrdiff_t(x), std::ptrdiff_t(y), std::ptrdiff_t(z)});
  }
  static double dot(const auto& a, const auto& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

  double equilibrium(std::size_t i, double density, const std::array<double, 3>& u) const {
    const double cu = dot(c_[i], u);
    return w_[i] * density * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * dot(u, u));
  }

  void collide(double* f) const {
    const std::size_t q = c_.size();
    double density = 0;
    std::array<double, 3> u{};
    for (std::size_t i = 0; i < q; ++i) {
      density += f[i];
      for (std::size_t a = 0; a < 3; ++a) u[a] += f[i] * c_[i][a];
    }
    for (std::size_t a = 0; a < 3; ++a) u[a] = u[a] / density + p_.force[a] / 2;
    // Guo's source as in Krueger (6.14), and the relaxed part: the non-equilibrium part with half the source.
    std::vector<double> source(q), beyond(q);
    for (std::size_t i = 0; i < q; ++i) {
      source[i] =
          w_[i] * density * (3 * (dot(c_[i], p_.force) - dot(u, p_.force)) + 9 * dot(c_[i], u) * dot(c_[i], p_.force));
      beyond[i] = f[i] - equilibrium(i, density, u) + source[i] / 2;
    }
    const double shear = 1 / p_.tau,
                 odd = p_.collision == lattice::Collision::bgk ? shear : 1 / (0.5 + p_.magic / (p_.tau - 0.5));
    const auto relaxed = p_.collision == lattice::Collision::mrt ? even_moments_apart(beyond) : one_rate(beyond, shear);
    for (std::size_t i = 0; i < q; ++i) f[i] += source[i] - relaxed[i] - odd * (beyond[i] - beyond[opposite_[i]]) / 2;
  }

  std::vector<double> one_rate(const std::vector<double>& beyond, double rate) const {
    std::vector<double> gone(beyond.size());
    for (std::size_t i = 0; i < gone.size(); ++i) gone[i] = rate * (beyond[i] + beyond[opposite_[i]]) / 2;
    return gone;
  }

  // Of the even half: the deviatoric stress, its trace and the rest, each with its own rate.
  std::vector<double> even_moments_apart(const std::vector<double>& beyond) const {
    const std::size_t d = n_[2] == 1 && c_.size() == 9 ? 2 : 3;
    double stress[3][3]{}, trace = 0;
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b < d; ++b)
        for (std::size_t i = 0; i < beyond.size(); ++i) stress[a][b] += beyond[i] * c_[i][a] * c_[i][b];
      trace += stress[a][a];
    }
    const double shear = 1 / p_.tau, bulk = p_.bulk_tau > 0 ? 1 / p_.bulk_tau : shear,
                 rest = p_.ghost_tau > 0 ? 1 / p_.ghost_tau : 1;
    auto gone = one_rate(beyond, rest);
    for (std::size_t i = 0; i < gone.size(); ++i)
      for (std::size_t a = 0; a < d; ++a)
        for (std::size_t b = 0; b < d; ++b) {
          const double hermite = c_[i][a] * c_[i][b] - (a == b ? 1.0 / 3 : 0), mean = a == b ? trace / double(d) : 0;
          gone[i] += 4.5 * w_[i] * hermite * ((shear - rest) * (stress[a][b] - mean) + (bulk - rest) * mean);
        }
    return gone;
  }

  lattice::DenseLattice::Extent n_;
  std::vector<std::array<int, 3>> c_;
  std::vector<double> w_;
  lattice::DenseParameters p_;
  std::vector<std::size_t> opposite_;
  std::vector<double> f_;
};

}  // namespace weft::test
