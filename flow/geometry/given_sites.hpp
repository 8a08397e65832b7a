// SPDX-License-Identifier: BSD-3-Clause
//
// Vessels that are given as sites, voxelised by another program, not as a surface.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/voxelise.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// Fluid sites and the ends of their links.
struct GivenSites {
  std::vector<Position> positions;
  std::vector<std::uint32_t> fluid;  ///< per site, as in Domain
  std::vector<Cut> cuts;             ///< of the 26 links those that do not end in fluid, ascending by (site, link)
};

/// Columns of sites along z: x and y from low up to, but not including, high.
struct Columns {
  std::array<std::int32_t, 2> low, high;
};

/// Reads the sites in these columns, each once, in any order. Called once on every rank at the same time, so it may be
/// collective. It must reject cuts at a distance of 0 or above 1, and cuts at openings that do not exist.
using ReadSites = std::function<GivenSites(std::span<const Columns>)>;

/// Creates each rank's share of the lattice from given sites, with the same stages as the make_domain for a surface:
/// columns are distributed over all ranks, each rank reads its own, sites that no opening reaches are dropped, METIS
/// divides the blocks. Collective. The result is bitwise identical on any number of ranks, and no rank stores all
/// sites. Throws InputError (on every rank, beginning with `source`) if a link that is not cut leads to a site that is
/// not fluid or is cut at its other end, if an opening has no site, if no site is fluid, or if there are more ranks
/// than blocks.
Domain make_domain(Transport& transport, const Grid& grid, const std::vector<Opening>& openings,
                   const std::string& source, const ReadSites& read, SetupReport& report);

}  // namespace geometry
}  // namespace weft
