// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "geometry/detail/block_scan.hpp"
#include "geometry/domain.hpp"
#include "geometry/voxelise.hpp"
#include "weft/transport/transport.hpp"

namespace weft::geometry::detail {

/// Divides the scan's sites over the ranks by weight and moves them to their owners. Collective. Fills sites, fluid,
/// cuts, owner and the totals of `domain` (grid and openings are its input), and blocks, balance and edge_cut of
/// `report`. Rank 0 stores the graph of blocks; no rank stores all sites; sites move as described at move_sites.
/// Messages: two gathers, three all-to-alls, and those of move_sites.
void decompose(Transport& transport, const BlockScan& scan, Domain& domain, SetupReport& report);

}  // namespace weft::geometry::detail
