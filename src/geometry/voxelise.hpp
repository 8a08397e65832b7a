// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"
#include "weft/transport/transport.hpp"

namespace weft::geometry {

/// What the set-up found out, for the report (the same on every rank).
struct SetupReport {
  std::int64_t sites = 0;
  std::int64_t blocks = 0;
  std::int64_t dropped_sites = 0;      ///< fluid that no opening reaches
  double balance = 1;                  ///< largest number of sites on a rank over the average
  std::int64_t edge_cut = 0;           ///< links that cross ranks
  std::vector<std::int64_t> opening_sites;  ///< sites at each opening
  double voxelise_seconds = 0;
  double decompose_seconds = 0;
};

/// From a closed surface to each rank's share of the lattice. Collective.
///
/// A site is fluid if it lies inside the surface and on the fluid's side of every opening, connected to an opening.
/// No rank holds the bounding box: columns of blocks are cast by all ranks, and only fluid sites are stored.
/// Throws InputError (on every rank) if an opening touches no fluid, no site is fluid, or there are more ranks than blocks.
Domain make_domain(Transport& transport, const Surface& surface, const std::vector<Opening>& openings, double voxel,
                   SetupReport& report);

}  // namespace weft::geometry
