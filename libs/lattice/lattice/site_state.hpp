// SPDX-License-Identifier: BSD-3-Clause
//
// What a lattice is to those who keep its state and go on from it: numbers by site, whatever its storage.
#pragma once

#include <array>
#include <cstddef>

namespace weft::lattice {

/// What the next steps depend on at one site, in lattice units.
struct SiteState {
  static constexpr std::size_t most = 27;

  /// f - w of what arrives along each velocity of the set in the next step; what is beyond the set is 0.
  std::array<double, most> arriving{};
  std::array<double, 3> velocity{};    ///< this and the density: of the last step that left them
  std::array<double, 3> correction{};  ///< of advection in the next step, by axis; 0 where it is plain
  double density = 1;  ///< not-a-number: no step has left fields, and the velocity is of single precision
};

/// At a site with a link to an opening, beside it: density and velocity before the last collision, and the stress of
/// what enters.
struct OpeningSiteState {
  double density;
  std::array<double, 3> velocity;
  std::array<double, 6> stress;  ///< beyond equilibrium: xx yy zz, xy xz yz
};

}  // namespace weft::lattice
