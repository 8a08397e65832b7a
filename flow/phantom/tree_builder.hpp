// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "phantom/made_vessel.hpp"
#include "phantom/tube_tree.hpp"

namespace weft::phantom {

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
