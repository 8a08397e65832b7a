// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case.hpp"
#include "geometry/surface.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// A vessel before it is cut into sites: what is known at once, however fine the voxel.
struct VesselShape {
  geometry::Surface surface;  ///< closed; none of a .gmy file
  int capped_holes = 0;
  double volume = 0;                  ///< m^3, of what the surface encloses: what openings cut off is counted, too
  geometry::Vector lowest{}, highest{};  ///< m, the corners of its box

  /// m, along its longest axis.
  double longest() const;
};

/// Reads the surface and closes it, or counts a .gmy file's sites. Collective; an InputError (the file, what is wrong with it; an opening
/// that lies outside of the vessel) is thrown on every rank.
VesselShape read_shape(Transport& transport, const Case& c);

}  // namespace weft::flow
