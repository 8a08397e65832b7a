// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weft::lattice {

/// What one observed step saw on this rank, gathered in the kernel's own pass.
struct Observation {
  double lowest_density, highest_density;
  double highest_speed_squared;
  double lowest_population;        ///< negative: unstable
  double mass;                     ///< sum of the density
  double change_squared;           ///< sum of |u - u at the last observed step|^2
  double speed_squared;            ///< sum of |u|^2
  std::int64_t bad_site;           ///< smallest Grid::site_id with a negative or not-a-number population, or -1
};

}  // namespace weft::lattice
