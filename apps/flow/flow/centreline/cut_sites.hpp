// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/centreline/lumen_cuts.hpp"
#include "geometry/domain.hpp"
#include "lattice/model.hpp"

namespace weft::flow {

/// A site's part in what is told of a lumen's cut.
struct CutSite {
  std::uint32_t site;
  float of_velocity;  ///< voxels^2: of its velocity's part along the normal
  float of_pressure;  ///< voxels^2: they add up to the cut's area
};

/// This rank's sites of each cut, ascending. The plane is met along the axis that its normal is nearest to, between two
/// sites: there the field is taken as linear, and where one of the two is beyond the wall the velocity as zero at the
/// wall. Only what lies within the cut's outline counts, so nothing of another branch.
std::vector<std::vector<CutSite>> sites_of_cuts(std::span<const LumenCut> cuts, const geometry::Domain& domain,
                                                lattice::Wall wall);

}  // namespace weft::flow
