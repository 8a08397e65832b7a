// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flow/case/case.hpp"
#include "geometry/extend_opening.hpp"
#include "geometry/lumen.hpp"
#include "geometry/surface.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// A tube that was put before an opening.
struct VesselExtension {
  std::size_t opening = 0;
  geometry::GrownExtension shape;
  std::int64_t sites = 0;  ///< in it, over all ranks
};

/// A vessel before it is cut into sites: what is known at once, however fine the voxel.
struct VesselShape {
  geometry::Surface surface;  ///< closed; none of a .gmy file
  geometry::Surface given;    ///< as the file has it, normals outwards; empty if no extract is of its triangles
  int capped_holes = 0;
  double volume = 0;                     ///< m^3, of what the surface encloses: what openings cut off is counted, too
  geometry::Vector lowest{}, highest{};  ///< m, the corners of its box

  bool has_openings = false;              ///< the following are known, and the case's openings brought to them
  std::vector<geometry::Lumen> lumens{};  ///< of each opening
  std::vector<VesselExtension> extensions{};
  std::optional<geometry::Vector> a_site{};  ///< where one of the sites is to lie

  /// m, along its longest axis.
  double longest() const;
};

/// Reads the surface and closes it, or counts a .gmy file's sites. Collective; an InputError (the file, what is wrong
/// with it; an opening that lies outside of the vessel) is thrown on every rank.
VesselShape read_shape(Transport& transport, Case& c);

/// Extends the surface at openings and finds their lumens, once; what the case says of its openings is brought to them
/// (use_lumens), and their discs to the ends of extensions. Nothing of a .gmy file, whose sites tell. Collective;
/// throws InputError on every rank.
void find_openings(Transport& transport, Case& c, VesselShape& shape);

}  // namespace weft::flow
