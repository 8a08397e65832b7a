// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace weft::lattice {

/// What a step leaves behind for those who want to know.
enum class Look : std::uint8_t {
  nothing,
  totals,  ///< extremes and mass: a few operations a site, no memory
  change,  ///< also how the velocity of each site has changed, to single precision, and the populations' signs: moves
           ///< 24 bytes more
  fields,  ///< also keeps velocity and density of each site: 56 bytes. Once there was such a step, `change` is the same
  stress,  ///< also keeps the viscous stress of each site: 24 bytes
};

/// What one step that was looked at saw on this rank, gathered in the kernel's own pass.
struct Observation {
  double lowest_density, highest_density;
  double highest_speed_squared;
  double mass;  ///< sum of the density; not-a-number if any population is
  // Of steps whose change was looked at:
  double lowest_population;  ///< negative: unstable
  double change_squared;     ///< sum of |u - u at the last such step|^2
  double speed_squared;      ///< sum of |u|^2
  std::int64_t bad_site;     ///< smallest Grid::site_id with a negative or not-a-number population, or -1
};

/// Of no site.
constexpr Observation nothing_seen() {
  constexpr double most = std::numeric_limits<double>::infinity();
  return {.lowest_density = most,
          .highest_density = -most,
          .highest_speed_squared = 0,
          .mass = 0,
          .lowest_population = most,
          .change_squared = 0,
          .speed_squared = 0,
          .bad_site = -1};
}

/// Of the sites of both.
constexpr Observation combine(const Observation& a, const Observation& b) {
  return {.lowest_density = std::min(a.lowest_density, b.lowest_density),
          .highest_density = std::max(a.highest_density, b.highest_density),
          .highest_speed_squared = std::max(a.highest_speed_squared, b.highest_speed_squared),
          .mass = a.mass + b.mass,
          .lowest_population = std::min(a.lowest_population, b.lowest_population),
          .change_squared = a.change_squared + b.change_squared,
          .speed_squared = a.speed_squared + b.speed_squared,
          .bad_site = a.bad_site < 0   ? b.bad_site
                      : b.bad_site < 0 ? a.bad_site
                                       : std::min(a.bad_site, b.bad_site)};
}

}  // namespace weft::lattice
