// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/detail/block_graph.hpp"
#include "geometry/detail/share.hpp"
#include "geometry/domain.hpp"
#include "geometry/voxelise.hpp"
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
