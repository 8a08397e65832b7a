// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "lattice/detail/collide.hpp"
#include "lattice/model.hpp"

namespace weft::lattice::detail {

/// The collision, from a lattice's parameters. See DenseParameters for the members.
struct Relaxation {
  Collision collision;
  double tau, magic, bulk_tau, ghost_tau;
  std::array<double, 3> force;
  bool incompressible = false;

  template <class Parameters>
  static Relaxation of(const Parameters& p) {
    Relaxation relaxation{p.collision, p.tau, p.magic, p.bulk_tau, p.ghost_tau, p.force};
    if constexpr (requires { p.incompressible; }) relaxation.incompressible = p.incompressible;
    return relaxation;
  }
  /// Factor of (density - 1) in the inertia term.
  double compressible() const { return incompressible ? 0 : 1; }
  /// The required kernel.
  Form form() const {
    if (collision == Collision::cumulant) return Form::cumulants;
    return collision == Collision::mrt || collision == Collision::regularised ? Form::many_rates : Form::two_rates;
  }
  bool has_many_rates() const { return form() == Form::many_rates; }
};

/// Throws InputError if tau <= 1/2, if magic <= 0 and the collision uses it, or if the velocity set lacks the
/// collision.
void check(const Relaxation& relaxation, VelocitySet velocities);

template <class Scalar>
Rates<Scalar> rates_of(const Relaxation& relaxation);

/// The relaxation rate of the stress for a viscosity that depends on the shear rate.
///
/// A site has its non-equilibrium stress, Pi, but not the shear rate, which depends on the relaxation time itself:
///     shear rate = 3 / (2 tau) sqrt(2 Pi : Pi) / rho,   tau = 1/2 + 3 viscosity(shear rate)
/// Both equations are solved once for all values of Pi : Pi / rho^2 in a table (between entries the rate is within
/// about 1e-6), so no site lags behind by a step. Shear rates below 1e-10 and above 3 per step are replaced by these
/// limits.
class RateTable {
 public:
  /// `viscosity`: positive and finite, such that its product with the shear rate never decreases. Lattice units.
  explicit RateTable(const std::function<double(double)>& viscosity);

  /// The table must outlive `rates`.
  template <class Scalar>
  LocalRates<Scalar> rates(const Relaxation& relaxation) const;
  double highest_tau() const { return 1 / values_.front(); }
  double lowest_tau() const { return 1 / values_.back(); }

 private:
  std::int64_t first_ = 0;
  std::vector<double> values_;
};

}  // namespace weft::lattice::detail
