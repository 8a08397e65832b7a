// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/detail/share.hpp"
#include "geometry/domain.hpp"
#include "geometry/voxelise.hpp"
#include "weft/transport/transport.hpp"

namespace weft::geometry::detail {

/// Divides the kept sites over the ranks by weight and moves them to their owners. Collective.
/// Fills sites, fluid, cuts, owner and the totals of `domain` (grid and openings are its input), and blocks, balance
/// and edge_cut of `report`. Rank 0 holds the graph of blocks, no rank all sites.
/// Messages: four gathers and four all-to-alls; bytes: 16 a site and 8 a cut, once.
void decompose(Transport& transport, const Share& share, const std::vector<std::uint8_t>& keep, Domain& domain,
               SetupReport& report);

}  // namespace weft::geometry::detail
