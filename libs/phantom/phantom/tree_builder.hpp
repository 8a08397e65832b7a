// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "phantom/made_vessel.hpp"
#include "phantom/tube_tree.hpp"

namespace weft::phantom {

/// Puts a vessel together, branch by branch; lengths in millimetres.
class TreeBuilder {
 public:
  /// The seams between branches are rounded by so much.
  explicit TreeBuilder(double blend_mm);

  /// A branch through these places. At its first (last) place, if it is named, lies an opening; the tube goes on beyond
  /// for a bit and ends round.
  void branch(std::vector<TubePoint> places_mm, const std::string& first_opening, const std::string& last_opening);

  const std::vector<geometry::Opening>& openings() const { return openings_; }
  const TubeTree& tree() const { return tree_; }
  /// Meshes it into about so many triangles; more where a branch is narrow.
  MadeVessel finish(std::string name, int triangles) const;

 private:
  TubeTree tree_;
  std::vector<geometry::Opening> openings_;
};

}  // namespace weft::phantom
