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

/// What an owner needs of a block before its sites arrive.
struct OwnedBlock {
  std::int64_t block;
  std::int64_t sites, cuts;
};

/// The approximate number of bytes that a rank sends per round: this in all, and its share to each other rank. So no
/// rank receives more, even if all send to the same rank. With very many ranks it is a little more, to limit the number
/// of rounds.
struct RoundSize {
  std::size_t all = std::size_t{4} << 20U;
  std::size_t least_to_a_rank = std::size_t{32} << 10U;
};

/// Moves all blocks of the scan to their owners and fills the domain's sites, fluid and cuts. Collective.
///
/// Since each rank knows the number of sites in its blocks, every block is received directly into its place, in any
/// order. Blocks are sent in rounds of a few megabytes, so that no other memory than the share and the domain grows
/// with the vessel. `owners` has the owner of each block of the scan; `mine` are this rank's blocks. Both ascend by
/// block. Bytes: 4 per site, 8 per cut, 80 per block, once. Messages: seven collectives per round.
void move_sites(Transport& transport, BlockScan scan, const std::vector<BlockOwner>& owners,
                const std::vector<OwnedBlock>& mine, Domain& domain, const RoundSize& round = {});

}  // namespace weft::geometry::detail
