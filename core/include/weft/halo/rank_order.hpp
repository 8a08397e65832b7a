// SPDX-License-Identifier: BSD-3-Clause
//
// Which rank has which position in a grid of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "weft/halo/cartesian_grid.hpp"
#include "weft/names.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// How ranks are placed in a grid of ranks.
enum class RankOrder : std::uint8_t {
  row_major,  ///< position n has rank n
  by_node,    ///< the ranks of a node are neighbours: they form a tile of the grid of ranks
};

/// The names of orders.
inline constexpr Names<RankOrder> rank_order_names("order of ranks", {{RankOrder::row_major, "row_major"},
                                                                      {RankOrder::by_node, "by_node"}});

/// The lowest rank on the node of each rank. Collective.
std::vector<int> nodes_of(Transport& transport);

/// The rank at each position, in tiles of `nodes` (as from nodes_of()) that have the least cost; the cost is a function
/// of the tile's ranks along each axis. None (an empty vector) if nodes have different numbers of ranks, or if this is
/// the order of rank numbers.
std::vector<int> ranks_by_node(const std::vector<int>& nodes, const std::array<int, 3>& processes,
                               const std::function<double(const std::array<int, 3>& tile)>& cost);
/// The same for a CartesianGrid: the blocks of a node send the fewest points to other nodes.
std::vector<int> ranks_by_node(const std::vector<int>& nodes, const CartesianGrid& grid);

/// The position of each rank in such an order; none if the order is. Throws Error unless each of the `ranks` ranks has
/// one position.
std::vector<int> positions_of(const std::vector<int>& order, int ranks);

}  // namespace weft
