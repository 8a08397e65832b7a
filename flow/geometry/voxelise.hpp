// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// Results of the set-up for the report (the same on every rank).
struct SetupReport {
  std::int64_t sites = 0;
  std::int64_t blocks = 0;
  std::int64_t dropped_sites = 0;           ///< fluid sites that no opening reaches
  double balance = 1;                       ///< largest number of sites on a rank over the average
  std::int64_t edge_cut = 0;                ///< links that cross ranks
  std::vector<std::int64_t> opening_sites;  ///< sites at each opening
  double voxelise_seconds = 0;
  double decompose_seconds = 0;
};

/// Creates each rank's share of the lattice from a closed surface (close_surface). Collective; all arguments are the
/// same on every rank.
///
/// Sites lie half a voxel from the surface's bounding box, so that walls along it are half-way between sites if its
/// size is a multiple of the voxel; or, if `a_site` gives the position of one of them, whole voxels from it. Site 0
/// along each axis is outside, so that every neighbour of a fluid site is a site of the grid. A site is fluid if it
/// lies inside the surface and is connected by uncut links to an opening on the fluid's side (no connection is needed
/// if there are no openings). A link is cut where it leaves the surface, even if it enters again, and where it crosses
/// an opening's disc. A wall belongs to an opening if it is met on the disc's plane (within one voxel or 5 % of the
/// radius), inside its radius (5 % and one voxel more) and nearly parallel to it.
///
/// The result is bitwise identical on any number of ranks. No rank stores the bounding box: columns of blocks are
/// distributed over all ranks, and only fluid sites are stored; rank 0 stores the graph of blocks temporarily. Throws
/// InputError (on every rank) if an opening touches no fluid, if no site is fluid, or if there are more ranks than
/// blocks.
Domain make_domain(Transport& transport, const Surface& surface, const std::vector<Opening>& openings, double voxel,
                   SetupReport& report, const std::optional<Vector>& a_site = {});

}  // namespace geometry
}  // namespace weft
