// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/lumen.hpp"

namespace weft::geometry {

/// A straight tube that is to be put before an opening.
struct ExtensionOptions {
  double length = 0;     ///< m, or
  double diameters = 0;  ///< as many times the diameter of a circle of the lumen's area
  bool round = false;  ///< becomes a circle of the lumen's area over its first part; else it keeps the lumen's outline

  bool is_wanted() const { return length > 0 || diameters > 0; }
};

/// One that was put there.
struct GrownExtension {
  Opening from;                   ///< the opening's disc as it was
  double length = 0;              ///< m
  Plane plane;                    ///< where it begins
  std::vector<Polygon> outlines;  ///< of its beginning and its end, in that plane

  /// Whether a point lies in it.
  bool contains(const Vector& p) const;
};

/// Cuts a closed surface where an opening's disc lies, takes away what is beyond the cut (a cap, a blind end), and puts
/// a tube there, along the disc's normal, so that fluid comes to the vessel from further away. The surface is closed
/// again, and the disc is moved to the tube's end. All else of the surface stays as it is.
///
/// Throws InputError (what is wrong, without where the opening was given) if there is no lumen at the disc, it is not
/// one closed outline, what lies beyond leads back into the vessel or to another opening, or the tube would run into
/// the vessel.
GrownExtension extend_opening(Surface& surface, std::vector<Opening>& openings, std::size_t which,
                              const ExtensionOptions& options, double voxel, double metres_per_unit);

}  // namespace weft::geometry
