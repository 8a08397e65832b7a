// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/model.hpp"

namespace weft::flow {

/// A site beside the wall, as its cut links see it.
struct WallSite {
  std::uint32_t site = 0;      ///< place in Domain::sites
  geometry::Vector normal{};   ///< out of the fluid, of unit length: of the plane that fits where the wall cuts its links best
  double distance = 0;         ///< to where the lattice's wall stands along it, voxels
};

/// This rank's. A site whose cut links cancel (in a gap of a voxel) is left out.
std::vector<WallSite> find_wall_sites(const geometry::Domain& domain, lattice::Wall wall);

}  // namespace weft::flow
