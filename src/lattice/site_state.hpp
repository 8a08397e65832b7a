// SPDX-License-Identifier: BSD-3-Clause
//
// What a lattice is to those who keep its state and go on from it: numbers by site, whatever its storage.
#pragma once

#include <array>

namespace weft::lattice {

/// What the next steps depend on at one site, in lattice units.
struct SiteState {
  std::array<double, 19> populations;  ///< after the last collision: populations[i] leaves along D3Q19::velocity[i]
  double density;                      ///< this and the velocity: of the last step that left fields
  std::array<double, 3> velocity;
};

/// At a site with a link to an opening, beside it: density and velocity before the last collision.
struct OpeningSiteState {
  double density;
  std::array<double, 3> velocity;
};

}  // namespace weft::lattice
