// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
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

/// How much leaves a rank in a round, about, bytes: as much as this, and to each other rank its part. So no more
/// arrives at a rank even if all send to the same; with very many ranks a little more, or there would be very many
/// rounds.
struct RoundSize {
  std::size_t all = std::size_t{4} << 20U;
  std::size_t least_to_a_rank = std::size_t{32} << 10U;
};

/// Moves all blocks of the scan to their owners and fills the domain's sites, fluid and cuts. Collective.
///
/// Since each rank knows how many sites its blocks hold, every block goes right to its place, in any order. Blocks
/// travel in rounds of a few megabytes, so that beside the share and the domain nothing grows with the vessel. `owners`
/// says who owns each block of the scan; `mine` are this rank's. Both ascend by block. Bytes: 4 a site, 8 a cut, 80 a
/// block, once. Messages: seven collectives a round.
void move_sites(Transport& transport, BlockScan scan, const std::vector<BlockOwner>& owners,
                const std::vector<OwnedBlock>& mine, Domain& domain, const RoundSize& round = {});

}  // namespace weft::geometry::detail
