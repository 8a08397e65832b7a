// SPDX-License-Identifier: BSD-3-Clause
//
// Vessels that come site by site, as another program voxelised them, not as a surface.
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

namespace weft::geometry {

/// Fluid sites and what lies at the end of each of their links.
struct GivenSites {
  std::vector<Position> positions;
  std::vector<std::uint32_t> fluid;  ///< per site, as in Domain
  std::vector<Cut> cuts;             ///< of the 26 links the ones that don't end in fluid, ascending by (site, link)
};

/// Columns of sites along z: x and y from low up to, but not including, high.
struct Columns {
  std::array<std::int32_t, 2> low, high;
};

/// Reads the sites in these columns, each once, in any order. Called once on every rank at the same time, so it may be
/// collective. Cuts of more distance than 1 or none, or of openings that there are not, are its business.
using ReadSites = std::function<GivenSites(std::span<const Columns>)>;

/// From sites that are given to each rank's share of the lattice, by the way of the make_domain that takes a surface:
/// columns are dealt over all ranks, each reads its own, what no opening reaches is left out, METIS divides the blocks.
/// Collective. The result is the same, bit for bit, on any number of ranks, and no rank holds all sites.
/// Throws InputError (on every rank, beginning with `source`) if a link that is not cut leads to no fluid site or is
/// cut at its other end, if an opening has no site, no site is fluid, or there are more ranks than blocks.
Domain make_domain(Transport& transport, const Grid& grid, const std::vector<Opening>& openings,
                   const std::string& source, const ReadSites& read, SetupReport& report);

}  // namespace weft::geometry
