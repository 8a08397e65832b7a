// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/surface.hpp"
#include "geometry/vector.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// An end of a vessel, on its wall or its cap.
struct End {
  Vector place{};
  double radius = 0;   ///< of the lumen there; for an end that was found, that of the branch leading to it
  bool given = false;  ///< a given opening; the others are blind
  int part = 0;        ///< which of several unconnected parts: 0 is the largest; -1: there is no lumen
};

/// The path along the middle of the lumen from one end to another.
struct Branch {
  std::vector<Vector> points;  ///< about one voxel of the analysis apart, the first and last at the ends
  std::vector<double> radius;  ///< at each point: of the largest inscribed sphere
  int from = 0, to = 0;        ///< Centrelines::ends
};

struct Centrelines {
  std::vector<End> ends;  ///< the given ends in their order, then those that were found
  /// From the root of each part to its other ends; branches share the points of their common path.
  std::vector<Branch> branches;
  int root = 0;             ///< of the largest part, or the requested one; the root of a part is its widest end
  std::vector<End> bulges;  ///< blind ends that are too short for a vessel: aneurysms, stumps
  double voxel = 0;         ///< of the analysis
};

struct CentrelineOptions {
  std::vector<End> ends = {};  ///< given ends: openings
  bool blind_ends = true;      ///< search for blind ends too
  int root = -1;               ///< index of a given end; -1: the widest
  double voxels = 400'000;     ///< number of voxels that fill the lumen
};

/// The centrelines of a closed surface (cap open ends before; lengths in the surface's units). The lumen is filled with
/// voxels, each with its distance R from the wall. The path between two ends minimises the integral of 1/R^2, so it
/// follows the spheres of largest radius, as VMTK's follows the medial axis (Antiga et al. 2003). Ends are found as in
/// TEASAR (Sato et al. 2000): the farthest voxel not covered by a sphere along a path begins another path. Several
/// vessels in one surface are separate parts, without paths between them. Empty if nothing is inside. Not collective.
/// Takes about one second and a hundred megabytes.
Centrelines centrelines(const Surface& closed, const CentrelineOptions& options = {});

}  // namespace geometry
}  // namespace weft
