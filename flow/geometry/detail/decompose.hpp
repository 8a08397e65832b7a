// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/detail/block_scan.hpp"
#include "geometry/detail/share.hpp"
#include "geometry/domain.hpp"
#include "geometry/voxelise.hpp"
#include "weft/transport/transport.hpp"

namespace weft::geometry::detail {

/// Divides the scan's sites over the ranks by weight and moves them to their owners. Collective. Fills sites, fluid,
/// cuts, owner and the totals of `domain` (grid and openings are its input), and blocks, balance and edge_cut of
/// `report`. Rank 0 stores the graph of blocks; no rank stores all sites; sites move as described at move_sites.
/// Messages: two gathers, three all-to-alls, and those of move_sites.
void decompose(Transport& transport, const BlockScan& scan, Domain& domain, SetupReport& report);

// The last stage of creating a domain, the same for all sources of sites.

/// The number of sites at each opening, over all ranks. Collective.
std::vector<std::int64_t> sites_at_openings(Transport& transport, const Share& share, std::size_t openings);

/// Drops the sites that are not connected to an opening (none, if there are no openings) and moves the rest to its
/// owners. Collective. `start` is the start time of the set-up. Fills all of `domain` except its grid and openings, and
/// all of `report` except its opening_sites.
void divide_share(Transport& transport, const Share& share, const Tiling& tiling, double start, Domain& domain,
                  SetupReport& report);

}  // namespace weft::geometry::detail
