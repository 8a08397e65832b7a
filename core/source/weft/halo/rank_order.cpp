// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/rank_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {

std::vector<int> nodes_of(Transport& transport) {
  int lowest = 0;
  while (lowest != transport.rank() && !transport.shares_memory_with(lowest)) ++lowest;
  return all_gather(transport, lowest);
}

std::vector<int> ranks_by_node(const std::vector<int>& nodes, const std::array<int, 3>& processes,
                               const std::function<double(const std::array<int, 3>& tile)>& cost) {
  std::map<int, std::vector<int>> ranks_of;
  for (std::size_t r = 0; r < nodes.size(); ++r) ranks_of[nodes[r]].push_back(static_cast<int>(r));
  const auto each = static_cast<int>(ranks_of.begin()->second.size());
  const bool even = std::ranges::all_of(
      ranks_of, [&](const auto& node) { return node.second.size() == static_cast<std::size_t>(each); });
  if (!even) return {};

  std::array<int, 3> best{};
  double least = 0;
  for (int x = 1; x <= each; ++x)
    for (int y = 1; x * y <= each; ++y) {
      const std::array<int, 3> tile{x, y, each / x / y};
      bool fits = tile[0] * tile[1] * tile[2] == each;
      for (std::size_t a = 0; a < 3; ++a) fits = fits && processes[a] % tile[a] == 0;
      if (!fits) continue;
      if (const double c = cost(tile); best[0] == 0 || c < least) {
        best = tile;
        least = c;
      }
    }

  std::vector<const std::vector<int>*> by_number;
  for (const auto& node : ranks_of) by_number.push_back(&node.second);
  std::vector<int> order;
  std::array<int, 3> at{};
  for (at[0] = 0; at[0] < processes[0]; ++at[0])
    for (at[1] = 0; at[1] < processes[1]; ++at[1])
      for (at[2] = 0; at[2] < processes[2]; ++at[2]) {
        int tile = 0, inside = 0;
        for (std::size_t a = 0; a < 3; ++a) {
          tile = tile * (processes[a] / best[a]) + at[a] / best[a];
          inside = inside * best[a] + at[a] % best[a];
        }
        order.push_back((*by_number[static_cast<std::size_t>(tile)])[static_cast<std::size_t>(inside)]);
      }
  return std::ranges::is_sorted(order) ? std::vector<int>() : order;
}

std::vector<int> ranks_by_node(const std::vector<int>& nodes, const CartesianGrid& grid) {
  return ranks_by_node(nodes, grid.processes(), [&](const std::array<int, 3>& tile) {
    GridOptions options;  // of nodes instead of ranks
    int tiles = 1;
    for (std::size_t a = 0; a < grid.dimensions(); ++a) {
      options.extent.push_back(grid.extent()[a]);
      options.periodic.push_back(grid.is_periodic(a));
      options.processes.push_back(grid.processes()[a] / tile[a]);
      tiles *= options.processes.back();
    }
    return static_cast<double>(process_grids(tiles, options).front().surface);
  });
}

std::vector<int> positions_of(const std::vector<int>& order, int ranks) {
  if (order.empty()) return {};
  std::vector<int> positions(static_cast<std::size_t>(ranks), -1);
  bool is_order = order.size() == positions.size();
  for (std::size_t k = 0; k < order.size() && is_order; ++k) {
    is_order = order[k] >= 0 && order[k] < ranks && positions[static_cast<std::size_t>(order[k])] < 0;
    if (is_order) positions[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  if (!is_order)
    throw Error("The order of ranks of a grid has " + std::to_string(order.size()) +
                    " numbers that are not those of its " + std::to_string(ranks) +
                    " ranks. Give each rank from 0 to " + std::to_string(ranks - 1) + " once.",
                true);
  return positions;
}

}  // namespace weft
