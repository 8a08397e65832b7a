// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

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

}  // namespace weft::lattice::detail
