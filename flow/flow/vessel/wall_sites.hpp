// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/model.hpp"

namespace weft::flow {

/// A site beside the wall: wall normal and distance from its cut links.
struct WallSite {
  std::uint32_t site = 0;     ///< index in Domain::sites
  geometry::Vector normal{};  ///< out of the fluid, of unit length
  double distance = 0;        ///< to the lattice's wall along the normal, voxels
  double to_surface = 0;      ///< to the surface along the normal, voxels; 0: unknown from the cuts
};

/// This rank's wall sites, ascending by site. A site whose cut links cancel (in a gap one voxel wide) is left out.
std::vector<WallSite> find_wall_sites(const geometry::Domain& domain, lattice::Wall wall);
/// The wall sites with at least four cut links, so that a plane through the cuts gives the position and normal of the
/// surface (within about 0.02 radian in a tube 18 voxels wide): about one per square voxel of the surface, all within
/// about a voxel of it.
std::vector<WallSite> find_surface_sites(const geometry::Domain& domain, lattice::Wall wall);

}  // namespace weft::flow
