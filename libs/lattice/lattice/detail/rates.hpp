// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "lattice/detail/collide.hpp"
#include "lattice/model.hpp"

namespace weft::lattice::detail {

/// The collision as a lattice's parameters state it. See DenseParameters for the members.
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
  /// As a factor of the density beyond 1, where it counts as inertia.
  double compressible() const { return incompressible ? 0 : 1; }
  /// The kernel that is needed.
  Form form() const {
    if (collision == Collision::cumulant) return Form::cumulants;
    return collision == Collision::mrt || collision == Collision::regularised ? Form::many_rates : Form::two_rates;
  }
  bool has_many_rates() const { return form() == Form::many_rates; }
};

/// Throws InputError if tau <= 1/2, magic <= 0 where it matters, or the velocity set can't collide so.
void check(const Relaxation& relaxation, VelocitySet velocities);

template <class Scalar>
Rates<Scalar> rates_of(const Relaxation& relaxation);

}  // namespace weft::lattice::detail
