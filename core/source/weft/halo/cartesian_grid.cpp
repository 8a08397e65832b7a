// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/cartesian_grid.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "weft/error.hpp"
#include "weft/halo/rank_order.hpp"

namespace weft {
namespace {

template <class T>
std::string listed(const std::vector<T>& values) {
  std::string text;
  for (const auto& v : values) text += (text.empty() ? "" : " x ") + std::to_string(v);
  return text;
}

// Points that the largest block sends through its faces: to other ranks, and to itself.
using Surface = std::pair<std::uint64_t, std::uint64_t>;
Surface surface_of(const Index& extent, const std::array<int, 3>& processes, const std::array<bool, 3>& periodic) {
  Index longest;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto p = static_cast<std::size_t>(processes[a]);
    longest[a] = (extent[a] + p - 1) / p;
  }
  Surface surface{0, 0};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::uint64_t sides = processes[a] > 2 || periodic[a] ? 2 : processes[a] == 2 ? 1 : 0;
    (processes[a] > 1 ? surface.first : surface.second) += sides * longest[(a + 1) % 3] * longest[(a + 2) % 3];
  }
  return surface;
}

// Replaces `lengths` by what they say about extent and processes.
GridOptions with_lengths(GridOptions options) {
  if (options.lengths.empty()) return options;
  std::vector<std::size_t> extent;
  std::vector<int> processes;
  for (const auto& axis : options.lengths) {
    if (axis.empty() || std::find(axis.begin(), axis.end(), std::size_t{0}) != axis.end())
      throw Error("A grid has blocks of the lengths " + listed(axis) + " along an axis. Give each block a point.",
                  true);
    extent.push_back(std::accumulate(axis.begin(), axis.end(), std::size_t{0}));
    processes.push_back(static_cast<int>(axis.size()));
  }
  if ((!options.extent.empty() && options.extent != extent) ||
      (!options.processes.empty() && options.processes != processes))
    throw Error("The lengths of a grid's blocks are those of " + listed(extent) + " points on " + listed(processes) +
                    " ranks, but its extent or processes differ. Leave these out.",
                true);
  options.extent = extent;
  options.processes = processes;
  return options;
}

// What the options give, axis by axis.
struct Axes {
  Index extent{1, 1, 1};
  std::array<bool, 3> periodic{};
  std::array<int, 3> wanted{0, 0, 0};  // processes; 0: free
};

Axes checked(const GridOptions& options) {
  const auto dimensions = options.extent.size();
  const auto text = std::to_string(dimensions);
  if (dimensions < 1 || dimensions > 3) throw Error("A grid has " + text + " dimensions. Use 1 to 3.", true);
  if (options.processes.size() > dimensions || options.periodic.size() > dimensions)
    throw Error("A grid of " + text + " dimensions has " + std::to_string(options.processes.size()) +
                    " numbers of processes and " + std::to_string(options.periodic.size()) +
                    " flags for periodicity. Give at most one of each per axis.",
                true);
  Axes axes;
  std::copy(options.extent.begin(), options.extent.end(), axes.extent.begin());
  std::copy(options.periodic.begin(), options.periodic.end(), axes.periodic.begin());
  std::copy(options.processes.begin(), options.processes.end(), axes.wanted.begin());
  for (const int p : options.processes)
    if (p < 0)
      throw Error(
          "A grid of " + listed(options.processes) + " processes is impossible. Use 1 or more per axis, or 0 (chosen).",
          true);
  return axes;
}

}  // namespace

// The surface between ranks counts first, then the whole surface; then the grid that cuts the first axes is the better.
std::vector<ProcessGrid> process_grids(int ranks, const GridOptions& given) {
  const auto options = with_lengths(given);
  const auto [extent, periodic, wanted] = checked(options);
  std::vector<std::pair<Surface, std::array<int, 3>>> all;
  const auto fits = [&, &extent = extent, &wanted = wanted](std::size_t axis, int p) {
    return (wanted[axis] == 0 || wanted[axis] == p) && static_cast<std::size_t>(p) <= extent[axis];
  };
  for (int x = ranks; x >= 1; --x) {
    if (ranks % x != 0 || !fits(0, x)) continue;
    for (int y = ranks / x; y >= 1; --y) {
      const int z = ranks / x / y;
      if (ranks / x % y != 0 || !fits(1, y) || !fits(2, z)) continue;
      all.emplace_back(surface_of(extent, {x, y, z}, periodic), std::array{x, y, z});
    }
  }
  if (all.empty())
    throw Error("A grid of " + listed(options.extent) + " points can't be cut into blocks for " +
                    std::to_string(ranks) + " ranks" +
                    (options.processes.empty() ? "" : " as " + listed(options.processes)) +
                    " (each rank must own at least one point). Use another number of ranks or another process grid.",
                true);
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  std::vector<ProcessGrid> grids;
  for (const auto& [surface, processes] : all) grids.push_back({processes, surface.first});
  return grids;
}

CartesianGrid::CartesianGrid(int rank, int ranks, const GridOptions& given) : order_(given.ranks), rank_(rank) {
  const auto options = with_lengths(given);
  processes_ = process_grids(ranks, options).front().processes;
  dimensions_ = options.extent.size();
  const auto axes = checked(options);
  extent_ = axes.extent;
  periodic_ = axes.periodic;
  positions_ = positions_of(order_, ranks);
  for (std::size_t a = 0; a < 3; ++a) {
    const auto p = static_cast<std::size_t>(processes_[a]);
    for (std::size_t i = 0; i <= p; ++i) bounds_[a].push_back(i * extent_[a] / p);
    if (a < options.lengths.size())
      std::partial_sum(options.lengths[a].begin(), options.lengths[a].end(), bounds_[a].begin() + 1);
  }
  block_ = block_of(rank);
}

std::size_t CartesianGrid::shortest(std::size_t axis) const {
  const auto& bounds = bounds_[axis];
  std::size_t least = extent_[axis];
  for (std::size_t i = 1; i < bounds.size(); ++i) least = std::min(least, bounds[i] - bounds[i - 1]);
  return least;
}

std::array<int, 3> CartesianGrid::coordinates_of(int rank) const {
  if (!positions_.empty()) rank = positions_.at(static_cast<std::size_t>(rank));
  return {rank / processes_[2] / processes_[1], rank / processes_[2] % processes_[1], rank % processes_[2]};
}

Box CartesianGrid::block_of(int rank) const {
  const auto at = coordinates_of(rank);
  Box block;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto i = static_cast<std::size_t>(at[a]);
    block.first[a] = bounds_[a][i];
    block.count[a] = bounds_[a][i + 1] - bounds_[a][i];
  }
  return block;
}

std::optional<int> CartesianGrid::neighbour(const Direction& direction) const {
  const auto at = coordinates();
  int rank = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const int p = processes_[a], i = at[a] + direction[a];
    if ((i < 0 || i >= p) && !periodic_[a]) return std::nullopt;
    rank = rank * p + (i + p) % p;
  }
  return order_.empty() ? rank : order_[static_cast<std::size_t>(rank)];
}

bool CartesianGrid::has_neighbour(std::size_t axis, int side) const {
  Direction direction{};
  direction[axis] = side;
  return neighbour(direction).has_value();
}

std::vector<Direction> directions_of(std::size_t dimensions) {
  std::vector<Direction> all;
  const int y = dimensions > 1, z = dimensions > 2;
  for (int faces = 1; faces <= 3; ++faces)  // number of the block's faces that meet there
    for (int i = -1; i <= 1; ++i)
      for (int j = -y; j <= y; ++j)
        for (int k = -z; k <= z; ++k)
          if (i * i + j * j + k * k == faces) all.push_back({i, j, k});
  return all;
}

}  // namespace weft
