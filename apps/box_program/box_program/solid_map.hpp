// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "box_program/particle.hpp"
#include "weft/halo/cartesian_grid.hpp"

namespace weft::box_program {

/// The whole box, and which part of it is this rank's.
struct Space {
  Index extent{1, 1, 1};
  std::array<bool, 3> periodic{};
  std::size_t dimensions = 3;
  std::array<bool, 3> wraps{};  ///< the block is its own neighbour and has no ghosts
  Box block;                    ///< this rank's sites
};

using Site = std::array<std::ptrdiff_t, 3>;  ///< in the block: 0 to its count, -1 and the count being ghosts

/// Where a point lies, seen from another: the nearest of its periodic images.
std::array<double, 3> nearest(const Space& space, std::array<double, 3> difference);

/// Which particle covers which site of a rank's block and one layer of ghosts: Ludwig's map of solid and fluid sites.
///
/// rebuild() costs what the particles' sites cost, not what the block's cost, and allocates nothing once the lists have
/// grown.
class SolidMap {
 public:
  static constexpr std::int32_t fluid = -1;
  struct Change {
    Site site;
    std::int32_t particle;
  };

  explicit SolidMap(const Space& space);

  void rebuild(std::span<const Particle> particles);
  /// The particle's number, or `fluid`.
  std::int32_t at(const Site& site) const { return now_[index(site)]; }
  /// Calls visit(i, from) for each velocity i that leads from a fluid site of the block to this (solid) one.
  template <class Visit>
  void for_each_link(const Site& to, std::span<const std::array<int, 3>> velocities, const Visit& visit) const {
    // Mostly no neighbour is fluid, so it is looked up by its distance in memory wherever none lies beyond an end.
    const bool inner = is_inner(to);
    const auto here = static_cast<std::ptrdiff_t>(index(to));
    for (std::size_t i = 1; i < velocities.size(); ++i) {
      const auto& v = velocities[i];
      if (inner &&
          now_[static_cast<std::size_t>(here - v[0] * stride_[0] - v[1] * stride_[1] - v[2] * stride_[2])] != fluid)
        continue;
      const auto from = wrapped({to[0] - v[0], to[1] - v[1], to[2] - v[2]});
      if (is_in_block(from) && (inner || at(from) == fluid)) visit(i, from);
    }
  }
  /// The same site, where an axis wraps.
  Site wrapped(Site site) const {
    for (std::size_t a = 0; a < 3; ++a) {
      const auto n = static_cast<std::ptrdiff_t>(space_.block.count[a]);
      if (space_.wraps[a]) site[a] = (site[a] + n) % n;
    }
    return site;
  }
  bool is_in_block(const Site& site) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (site[a] < 0 || site[a] >= static_cast<std::ptrdiff_t>(space_.block.count[a])) return false;
    return true;
  }

  /// All solid sites, ghosts included; those that may have fluid neighbours come in surface() once more.
  const std::vector<Change>& solid() const { return solid_; }
  const std::vector<Change>& surface() const { return surface_; }
  /// What the last rebuild() made solid (with the particle that covers it now), and fluid (with the one that covered
  /// it).
  const std::vector<Change>& covered() const { return covered_; }
  const std::vector<Change>& uncovered() const { return uncovered_; }

 private:
  std::size_t index(const Site& site) const {
    std::size_t i = 0;
    for (std::size_t a = 0; a < 3; ++a)
      i = i * size_[a] + static_cast<std::size_t>(site[a] + static_cast<std::ptrdiff_t>(layer_[a]));
    return i;
  }
  bool is_inner(const Site& site) const {
    for (std::size_t a = 0; a < space_.dimensions; ++a)
      if (site[a] < 1 || site[a] + 1 >= static_cast<std::ptrdiff_t>(space_.block.count[a])) return false;
    return true;
  }
  template <class Visit>
  void for_each_site(const Particle& particle, const Visit& visit) const;

  Space space_;
  Index layer_{}, size_{};
  Site stride_{};
  std::vector<std::int32_t> now_, before_;
  std::vector<Change> solid_, was_solid_, surface_, covered_, uncovered_;
};

}  // namespace weft::box_program
