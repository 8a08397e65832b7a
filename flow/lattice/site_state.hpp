// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a lattice for checkpoints and restarts: numbers per site, independent of the storage.
#pragma once

#include <array>
#include <cstddef>

namespace weft::lattice {

/// The state of one site that determines the next steps, in lattice units.
struct SiteState {
  static constexpr std::size_t most = 27;

  /// f - w of the populations that arrive along each velocity of the set in the next step; 0 beyond the set.
  std::array<double, most> arriving{};
  std::array<double, 3> velocity{};    ///< this and the density: from the last step that stored them
  std::array<double, 3> correction{};  ///< of advection in the next step, by axis; 0 if it is plain
  double density = 1;                  ///< NaN: no step has stored fields, and the velocity is of single precision
};

/// Additional state of a site with a link to an opening: density and velocity before the last collision, and the stress
/// of the entering populations.
struct OpeningSiteState {
  double density;
  std::array<double, 3> velocity;
  std::array<double, 6> stress;  ///< non-equilibrium: xx yy zz, xy xz yz
};

}  // namespace weft::lattice
