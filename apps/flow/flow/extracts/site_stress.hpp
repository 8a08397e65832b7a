// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "flow/scaling/scaling.hpp"
#include "flow/step/lattice_client.hpp"

namespace weft::flow {

/// The viscous stress at a site, Pa: xx yy zz, xy xz yz.
using Tensor = std::array<double, 6>;

/// The root of the sum of the squares of all nine.
double norm(const Tensor& s);

/// The viscous stress at sites, from what a step has left.
class SiteStress {
 public:
  /// All are borrowed. Holds until the next step that leaves stress or fields.
  SiteStress(const LatticeClient& client, const Scaling& scaling);

  bool is_there() const { return !stress_.slot.empty(); }
  Tensor at(std::uint32_t site) const;
  /// The shear rate (1/s) at which the fluid has a shear stress (Pa), and its dynamic viscosity (Pa s) there.
  double shear_rate(double shear_stress) const;
  double viscosity_under(const Tensor& stress) const;
  double viscosity(double shear_rate) const;
  bool is_newtonian() const { return client_.is_newtonian(); }

  /// Of a stress in lattice units.
  double unit() const { return unit_; }

 private:
  const LatticeClient& client_;
  lattice::SparseLattice::StressFields stress_;
  double unit_;  ///< Pa
};

}  // namespace weft::flow
