// SPDX-License-Identifier: BSD-3-Clause
//
// The library openings: from a vessel's surface alone to a case: what is wrong with the surface, where its openings
// are (flat caps, open ends, blind ends), what flows through each, the text of a case for weft flow, and a picture of
// what was found. It runs on one rank. Who links it: weft openings, and the set-up page of weft flow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "geometry/centreline.hpp"
#include "geometry/surface.hpp"
#include "openings/finding.hpp"

namespace weft::openings {

using geometry::Surface;
using geometry::Vector;

/// A place where fluid may enter or leave a vessel.
struct VesselOpening {
  enum class Kind : std::uint8_t {
    hole,  ///< the surface is open there
    cap,   ///< a flat end
    blind  ///< a rounded end: cut where the lumen behind it is the tube's own
  };
  Kind kind = Kind::hole;
  Vector centre{}, normal{};    ///< of the lumen at the cut; the normal is of unit length and points into the vessel
  double area = 0;              ///< of the lumen
  double radius = 0;            ///< of the circle of that area
  double roundness = 0;         ///< 4 pi area / circumference^2: 1 is a circle, a square 0.79
  double aspect = 1;            ///< the lumen's shorter axis over its longer one
  double disc_radius = 0;       ///< of a disc around the centre that cuts all of the lumen and no other one
  std::vector<Vector> contour;  ///< the lumen's outline
  int part = 0;                 ///< of the vessels that are not connected: 0 is the largest
};

const char* name_of(VesselOpening::Kind kind);

/// What a surface is and where it ends. All lengths are in the surface's own.
struct VesselAnalysis {
  std::vector<VesselOpening> openings;  ///< the largest first
  std::vector<Finding> findings;        ///< what is wrong with the surface, or remarkable
  geometry::Centrelines lines;          ///< their ends are not in the order of the openings
  Vector low{}, high{};                 ///< bounding box
  double volume = 0;
  double narrowest = 0;  ///< diameter of the narrowest lumen between openings, of the largest sphere that passes
  Vector narrowest_at{};

  int parts() const;       ///< of the openings: 1, or more if there are vessels side by side
  bool is_usable() const;  ///< none of the findings keeps weft flow from taking the surface
};

/// Finds every opening of a vessel. `surface` may be open or closed, in any unit (all tolerances are relative).
/// `voxels` fill the lumen for its centrelines: fewer are faster and coarser. Not collective; about four seconds for
/// 500,000 triangles.
VesselAnalysis find_openings(Surface surface, double voxels = 400'000);

}  // namespace weft::openings
