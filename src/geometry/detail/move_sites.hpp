// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/detail/block_scan.hpp"
#include "geometry/domain.hpp"
#include "weft/transport/transport.hpp"

namespace weft::geometry::detail {

struct BlockOwner {
  std::int64_t block;
  std::int32_t rank;
};

/// What an owner has to know of a block before its sites arrive.
struct OwnedBlock {
  std::int64_t block;
  std::int64_t sites, cuts;
};

/// Moves all blocks of the scan to their owners and fills the domain's sites, fluid and cuts. Collective.
///
/// Since each rank knows how many sites its blocks hold, every block goes right to its place, in any order. Blocks travel
/// in rounds of a few megabytes a rank, so that beside the share and the domain nothing grows with the vessel.
/// `owners` says who owns each block of the scan; `mine` are this rank's. Both ascend by block.
/// Bytes: 4 a site, 8 a cut, 80 a block, once. Messages: seven collectives a round.
void move_sites(Transport& transport, BlockScan scan, const std::vector<BlockOwner>& owners,
                const std::vector<OwnedBlock>& mine, Domain& domain);

}  // namespace weft::geometry::detail
