// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "flow/scaling/scaling.hpp"
#include "flow/step/lattice_client.hpp"

namespace weft::flow {

/// The viscous stress at a site, Pa: xx yy zz, xy xz yz.
using Tensor = std::array<double, 6>;

/// The Frobenius norm (all nine components).
double norm(const Tensor& s);

/// The viscous stress at sites, from the stored values of a step.
class SiteStress {
 public:
  /// All are borrowed. Valid until the next step that stores stress or fields.
  SiteStress(const LatticeClient& client, const Scaling& scaling);

  bool is_there() const { return !stress_.slot.empty(); }
  Tensor at(std::uint32_t site) const;
  /// The shear rate (1/s) for a shear stress (Pa); the dynamic viscosity (Pa s) under a stress.
  double shear_rate(double shear_stress) const;
  double viscosity_under(const Tensor& stress) const;
  double viscosity(double shear_rate) const;
  bool is_newtonian() const { return client_.is_newtonian(); }

  /// Pa per unit of stress in lattice units.
  double unit() const { return unit_; }

 private:
  const LatticeClient& client_;
  lattice::SparseLattice::StressFields stress_;
  double unit_;  ///< Pa
};

}  // namespace weft::flow
