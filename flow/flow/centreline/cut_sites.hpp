// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/centreline/lumen_cuts.hpp"
#include "geometry/domain.hpp"
#include "lattice/model.hpp"

namespace weft::flow {

/// A site's weights in a cut of the lumen.
struct CutSite {
  std::uint32_t site;
  float of_velocity;  ///< voxels^2: for its velocity along the normal
  float of_pressure;  ///< voxels^2: for its pressure; their sum is the cut's area
};

/// This rank's sites of each cut, ascending. Along the axis closest to its normal the plane lies between two sites: the
/// field is interpolated linearly between them; if one is beyond the wall, the velocity is zero at the wall. Only
/// points within the cut's outline count, so no other branch.
std::vector<std::vector<CutSite>> sites_of_cuts(std::span<const LumenCut> cuts, const geometry::Domain& domain,
                                                lattice::Wall wall);

}  // namespace weft::flow
