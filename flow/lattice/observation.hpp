// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace [[gnu::visibility("default")]] weft {
namespace lattice {

/// The data that a step samples.
enum class Diagnostics : std::uint8_t {
  nothing,
  totals,  ///< extremes and mass: a few operations per site, no memory
  /// also the change of each site's velocity, in single precision, and the signs of the populations: moves 24 bytes
  /// more
  change,
  fields,  ///< also stores velocity and density of each site: 56 bytes. After such a step, `change` costs the same
  stress,  ///< also stores the viscous stress of each site: 24 bytes
};

/// The sample of one step on this rank, gathered in the kernel's own pass.
struct Observation {
  double lowest_density, highest_density;
  double highest_speed_squared;
  double mass;  ///< sum of the density; NaN if any population is, or a density above 256
  // Of steps with Diagnostics::change:
  double lowest_population;  ///< negative: unstable
  double change_squared;     ///< sum of |u - u at the last such step|^2
  double speed_squared;      ///< sum of |u|^2
  std::int64_t bad_site;     ///< smallest Grid::site_id with a negative or NaN population, or -1
};

/// The sample of no site.
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

/// The sample of the sites of both.
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

/// Boltzmann's H in fixed point, so that a sum is exact, in any order: whole + ticks / 2^44.
struct Entropy {
  static constexpr int tick_bits = 44;  ///< a tick is 2^-44

  std::int64_t whole = 0;      ///< the whole part, rounded down
  std::int64_t ticks = 0;      ///< the rest, 0 to 2^44 - 1
  std::int64_t undefined = 0;  ///< above 0: there are negative populations, so H is NaN

  /// The entropy that is so many ticks.
  static constexpr Entropy of_ticks(std::int64_t all) { return {all >> tick_bits, all & ((1LL << tick_bits) - 1)}; }
  /// Adds the entropy of other populations.
  constexpr Entropy& operator+=(const Entropy& other) {
    ticks += other.ticks;
    whole += other.whole + (ticks >> tick_bits);
    ticks &= (1LL << tick_bits) - 1;
    undefined += other.undefined;
    return *this;
  }
  /// H, or NaN.
  constexpr double value() const {
    if (undefined > 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(whole) + static_cast<double>(ticks) / static_cast<double>(1LL << tick_bits);
  }
};

// The state of a lattice for checkpoints and restarts: numbers per site, independent of the storage.

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

}  // namespace lattice
}  // namespace weft
