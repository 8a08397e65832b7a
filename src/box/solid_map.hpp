// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "box/particle.hpp"
#include "weft/halo/cartesian_grid.hpp"

namespace weft::dense {

/// The whole box, and which part of it is this rank's.
struct Space {
  Index extent{1, 1, 1};
  std::array<bool, 3> periodic{};
  std::size_t dimensions = 3;
  Box block;  ///< this rank's sites
};

using Site = std::array<std::ptrdiff_t, 3>;  ///< in the block: 0 to its count, -1 and the count being ghosts

/// Where a point lies, seen from another: the nearest of its periodic images.
std::array<double, 3> nearest(const Space& space, std::array<double, 3> difference);

/// Which particle covers which site of a rank's block and one layer of ghosts: Ludwig's map of solid and fluid sites.
///
/// rebuild() costs what the particles' sites cost, not what the block's cost, and allocates nothing once the lists have grown.
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
  bool is_in_block(const Site& site) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (site[a] < 0 || site[a] >= static_cast<std::ptrdiff_t>(space_.block.count[a])) return false;
    return true;
  }

  /// All solid sites, ghosts included.
  const std::vector<Change>& solid() const { return solid_; }
  /// What the last rebuild() made solid (with the particle that covers it now), and fluid (with the one that covered it).
  const std::vector<Change>& covered() const { return covered_; }
  const std::vector<Change>& uncovered() const { return uncovered_; }

 private:
  std::size_t index(const Site& site) const {
    std::size_t i = 0;
    for (std::size_t a = 0; a < 3; ++a) i = i * size_[a] + static_cast<std::size_t>(site[a] + static_cast<std::ptrdiff_t>(layer_[a]));
    return i;
  }
  template <class Visit>
  void for_each_site(const Particle& particle, const Visit& visit) const;

  Space space_;
  Index layer_{}, size_{};
  std::vector<std::int32_t> now_, before_;
  std::vector<Change> solid_, was_solid_, covered_, uncovered_;
};

}  // namespace weft::dense
