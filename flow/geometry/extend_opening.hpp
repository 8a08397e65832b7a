// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/section.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// The options of a straight tube before an opening.
struct ExtensionOptions {
  double length = 0;     ///< m, or
  double diameters = 0;  ///< length in diameters of a circle of the lumen's area
  /// the tube becomes a circle of the lumen's area over its first part; else it keeps the lumen's outline
  bool round = false;

  bool is_wanted() const { return length > 0 || diameters > 0; }
  bool operator==(const ExtensionOptions&) const = default;
};

/// A tube that was added.
struct GrownExtension {
  Opening from;                   ///< the opening's disc as it was
  double length = 0;              ///< m
  Plane plane;                    ///< the plane of its beginning
  std::vector<Polygon> outlines;  ///< of its beginning and its end, in this plane

  /// Whether a point lies in the tube.
  bool contains(const Vector& p) const;
};

/// Cuts a closed surface at an opening's disc, removes the part beyond the cut (a cap, a blind end), and adds a tube
/// along the disc's normal, so that fluid enters the vessel from further away. The surface is closed again, and the
/// disc is moved to the tube's end. The rest of the surface is unchanged.
///
/// Throws InputError (with the reason, but without the place of the opening in the case) if there is no lumen at the
/// disc, if the lumen is not one closed outline, if the part beyond leads back into the vessel or to another opening,
/// or if the tube would run into the vessel.
GrownExtension extend_opening(Surface& surface, std::vector<Opening>& openings, std::size_t which,
                              const ExtensionOptions& options, double voxel, double metres_per_unit);

}  // namespace geometry
}  // namespace weft
