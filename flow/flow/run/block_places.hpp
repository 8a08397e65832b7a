// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "flow/vessel/wall_sites.hpp"
#include "geometry/domain.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// A block of this rank and its position in the file. The file has the blocks of all ranks, ascending by
/// Grid::block_id: an order that does not depend on the number of ranks.
struct BlockPlace {
  std::int64_t id = 0;
  std::size_t first = 0;  ///< index in Domain::sites, where a block's sites are consecutive
  std::uint32_t sites = 0, openings = 0,
                walls = 0;  ///< of the block: all, with a link to an opening, beside the wall
  std::int64_t number = 0;  ///< number of blocks before it
  std::int64_t sites_before = 0, openings_before = 0, walls_before = 0;
};

struct BlockPlaces {
  std::vector<BlockPlace> mine;                                 ///< ascending by id
  std::int64_t blocks = 0, sites = 0, openings = 0, walls = 0;  ///< of all ranks
};

/// Finds the positions of this rank's blocks. Each rank counts a range of the blocks, so no rank holds all of them.
/// `walls`: this rank's, ascending by site. Collective.
BlockPlaces place_blocks(Transport& transport, const geometry::Domain& domain,
                         const std::function<bool(std::size_t site)>& at_opening, std::span<const WallSite> walls);

/// A hash of the vessel's sites and links to openings; the same on every rank and for any number of ranks. Collective.
std::uint64_t hash_of(Transport& transport, const geometry::Domain& domain);

}  // namespace weft::flow
