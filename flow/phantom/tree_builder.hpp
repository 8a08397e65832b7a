// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "geometry/vector.hpp"
#include "phantom/made_vessel.hpp"
#include "phantom/tube_tree.hpp"

namespace weft::phantom {

/// Random numbers that are the same on every machine: the standard's engine is, its distributions need not be.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11U) * 0x1p-53;
  }
  double between_in_ratio(double low, double high) { return low * std::pow(high / low, between(0, 1)); }
  bool chance(double probability) { return between(0, 1) < probability; }
  geometry::Vector direction() {
    const double z = between(-1, 1), angle = between(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
    return {r * std::cos(angle), r * std::sin(angle), z};
  }

 private:
  std::mt19937_64 engine_;
};

/// Builds a vessel, branch by branch; lengths in millimetres.
class TreeBuilder {
 public:
  /// `blend_mm`: radius with which the seams between branches are rounded.
  explicit TreeBuilder(double blend_mm);

  /// A branch through these points. If its first (last) point has a name, there is an opening; the tube continues a
  /// little beyond it and ends round.
  void branch(std::vector<TubePoint> places_mm, const std::string& first_opening, const std::string& last_opening);

  const std::vector<geometry::Opening>& openings() const { return openings_; }
  const TubeTree& tree() const { return tree_; }
  /// Meshes the vessel with about this many triangles; more if a branch is narrow.
  MadeVessel finish(std::string name, int triangles) const;

 private:
  TubeTree tree_;
  std::vector<geometry::Opening> openings_;
};

}  // namespace weft::phantom
