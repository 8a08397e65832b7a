// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/detail/block_scan.hpp"
#include "geometry/domain.hpp"

namespace weft::geometry::detail {

/// The non-empty blocks as a graph: the number of sites of each block, and the number of links between two blocks.
struct BlockGraph {
  struct Block {
    std::int64_t id;
    std::int64_t sites;
    std::int64_t cuts = 0;
  };
  struct Edge {
    std::int64_t a, b;  ///< ids, a < b
    std::int64_t links;
  };
  std::vector<Block> blocks;  ///< ascending by id
  std::vector<Edge> edges;    ///< ascending by (a, b)
};

/// The blocks of one rank's kept runs. Their edges may lead to blocks of other ranks; an edge may appear at both ends.
BlockGraph block_graph(BlockScan scan, const Grid& grid);

/// Sorts the edges and adds up those that occur several times.
void normalise(BlockGraph& graph);

/// A part for each block, balanced by sites, with few cut links; every part gets a block. METIS divides. With few
/// blocks per part METIS leaves parts empty; then the blocks are cut into slices in the order of their ids. Needs at
/// least as many blocks as parts. Deterministic.
std::vector<int> divide(const BlockGraph& graph, int parts);

}  // namespace weft::geometry::detail
