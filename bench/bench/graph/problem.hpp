// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/graph/graph.hpp"

namespace weft::bench {

/// The global numbers that this rank owns and wants.
struct GraphProblem {
  std::string name;
  bool in_ranges;  ///< whether each rank owns one range, by ascending rank
  std::vector<std::uint64_t> owned{}, wanted{};

  NumberRange range() const { return {owned.empty() ? 0 : owned.front(), owned.size()}; }
};

/// Numbers are dealt out at random, and wanted at random: 100,000 and 20,000 per rank.
GraphProblem random_graph(const Transport& world);
/// The neighbours of a grid's blocks of 64^3 points with a 27-point stencil. Numbers ascend rank by rank.
GraphProblem stencil_graph(const Transport& world);
/// The nodes of a finite-element mesh that is cut along wavy surfaces, about 100,000 nodes per rank. Numbers are those
/// of a file: the mesh's own order, across all ranks. A node belongs to the lowest rank of its elements.
GraphProblem mesh_graph(const Transport& world);

}  // namespace weft::bench
