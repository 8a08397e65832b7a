// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/surface.hpp"
#include "geometry/vector.hpp"

namespace weft::geometry {

/// Where a vessel ends: on its wall or its cap.
struct End {
  Vector place{};
  double radius = 0;   ///< of the lumen there; of an end that was found the one of the branch that leads to it
  bool given = false;  ///< an opening that was told; the others are blind
  int part = 0;        ///< of a vessel of several that are not connected: 0 is the largest; -1: no lumen is there
};

/// The way along the middle of the lumen from one end to another one.
struct Branch {
  std::vector<Vector> points;  ///< about a voxel of the analysis apart, the first and last at the ends
  std::vector<double> radius;  ///< at each point: of the largest sphere around it inside the vessel
  int from = 0, to = 0;        ///< Centrelines::ends
};

struct Centrelines {
  std::vector<End> ends;  ///< those given, in their order, then those found
  /// From the root of each part to its other ends; they share their ways as far as they go together.
  std::vector<Branch> branches;
  int root = 0;             ///< of the largest part, or the one that was asked for: a part's is its widest end
  std::vector<End> bulges;  ///< blind, but too short for a vessel: aneurysms, stumps
  double voxel = 0;         ///< of the analysis
};

struct CentrelineOptions {
  std::vector<End> ends = {};  ///< known ones: openings
  bool blind_ends = true;      ///< look for further ones
  int root = -1;               ///< index of a given end; -1: the widest
  double voxels = 400'000;     ///< that fill the lumen
};

/// The centrelines of a closed surface (what is open is to be capped before; lengths in the surface's own). The lumen
/// is filled with voxels; each knows its distance R from the wall, and the way between two ends is the one with the
/// least integral of 1/R^2: along the spheres of largest radius, as VMTK's along the medial axis (Antiga et al. 2003).
/// Ends are found as TEASAR does (Sato et al. 2000): the farthest voxel that no sphere along a way covers begins
/// another way. Several vessels in one surface are parts: no way leads from one to another. Empty if nothing is inside.
/// Not collective. Takes about a second; memory: a hundred megabytes.
Centrelines centrelines(const Surface& closed, const CentrelineOptions& options = {});

}  // namespace weft::geometry
