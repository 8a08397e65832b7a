// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "box_program/case.hpp"
#include "weft/halo/cartesian_grid.hpp"

namespace weft::box_program {

/// The whole box, and this rank's part of it.
struct Space {
  Index extent{1, 1, 1};
  std::array<bool, 3> periodic{};
  std::size_t dimensions = 3;
  std::array<bool, 3> wraps{};  ///< the block is its own neighbour and has no ghosts
  Box block;                    ///< this rank's sites
};

using Site = std::array<std::ptrdiff_t, 3>;  ///< in the block: 0 to its count, -1 and the count being ghosts

/// The vector from one point to another: to the nearest periodic image.
std::array<double, 3> nearest(const Space& space, std::array<double, 3> difference);

/// The particle that covers each site of a rank's block and one layer of ghosts: Ludwig's map of solid and fluid sites.
///
/// The cost of rebuild() grows with the particles' sites, not with the block; it allocates nothing once the lists have
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
    // Mostly no neighbour is fluid, so neighbours are found by their offset in memory unless one lies beyond an end.
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
  /// The same site, wrapped along periodic axes.
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

  /// All solid sites, including ghosts; those that may have fluid neighbours are also in surface().
  const std::vector<Change>& solid() const { return solid_; }
  const std::vector<Change>& surface() const { return surface_; }
  /// The sites that the last rebuild() made solid (with the particle that covers them now), and fluid (with the one
  /// that covered them).
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
