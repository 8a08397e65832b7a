// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/model.hpp"

namespace weft::flow {

/// A site beside the wall, as its cut links see it.
struct WallSite {
  std::uint32_t site = 0;     ///< place in Domain::sites
  geometry::Vector normal{};  ///< out of the fluid, of unit length
  double distance = 0;        ///< to where the lattice's wall stands along it, voxels
  double to_surface = 0;      ///< to where the surface stands along it, voxels; 0: the cuts don't say
};

/// This rank's, ascending by site. A site whose cut links cancel (in a gap of a voxel) is left out.
std::vector<WallSite> find_wall_sites(const geometry::Domain& domain, lattice::Wall wall);
/// Those of which at least four links are cut, so that a plane through the cuts tells the surface's place and normal
/// (to some 0.02 of a radian in a tube 18 voxels wide): about one a square voxel of the surface, all within a voxel or
/// so of it.
std::vector<WallSite> find_surface_sites(const geometry::Domain& domain, lattice::Wall wall);

}  // namespace weft::flow
