// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weft::lattice {

/// What a step leaves behind for those who want to know.
enum class Look : std::uint8_t {
  nothing,
  totals,  ///< extremes and mass: a few operations a site, no memory
  fields,  ///< also density and velocity of each site, and what follows from them: moves 56 bytes more a site
};

/// What one step that was looked at saw on this rank, gathered in the kernel's own pass.
struct Observation {
  double lowest_density, highest_density;
  double highest_speed_squared;
  double mass;                     ///< sum of the density; not-a-number if any population is
  // Of steps that left fields:
  double lowest_population;        ///< negative: unstable
  double change_squared;           ///< sum of |u - u at the last such step|^2
  double speed_squared;            ///< sum of |u|^2
  std::int64_t bad_site;           ///< smallest Grid::site_id with a negative or not-a-number population, or -1
};

}  // namespace weft::lattice
