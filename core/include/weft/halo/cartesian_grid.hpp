// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// One number per axis. Unused axes have one point.
using Index = std::array<std::size_t, 3>;
/// The direction of a neighbour: -1, 0 or 1 along each axis.
using Direction = std::array<int, 3>;

/// The points [first, first + count) along each axis.
struct Box {
  Index first{0, 0, 0};  ///< the corner with the smallest coordinates
  Index count{1, 1, 1};  ///< points along each axis
  /// The number of points.
  std::size_t points() const { return count[0] * count[1] * count[2]; }
  /// Whether they hold the same points.
  bool operator==(const Box&) const = default;
};

/// Options of a CartesianGrid. Must be the same on all ranks.
struct GridOptions {
  /// Points along each axis; one to three axes. Left out: the sums of `lengths`.
  std::vector<std::size_t> extent{};
  /// Ranks along each axis; 0, or left out: chosen for the smallest surface between blocks.
  std::vector<int> processes{};
  /// Whether the last point's neighbour is the first; left out: it is not.
  std::vector<bool> periodic{};
  /// The lengths of the blocks along each axis, one per process, for a program that has its own decomposition; left
  /// out: blocks differ by one point at most. They also give the number of processes.
  std::vector<std::vector<std::size_t>> lengths{};
  /// The rank at each position of the grid of ranks; left out: position n has rank n. See ranks_by_node().
  std::vector<int> ranks{};
};

/// One way to arrange ranks.
struct ProcessGrid {
  std::array<int, 3> processes{1, 1, 1};  ///< ranks along each axis
  std::uint64_t surface = 0;              ///< points that the largest block sends to other ranks through its faces
};
/// All grids of so many ranks that the options allow, that of a CartesianGrid first, then by surface. Throws as the
/// constructor of CartesianGrid does.
std::vector<ProcessGrid> process_grids(int ranks, const GridOptions& options);

/// A grid of points, distributed in blocks over a grid of ranks. It does not communicate: every rank can compute the
/// position of all blocks.
///
/// Rank (i, j, k) of PX x PY x PZ is number (i * PY + j) * PZ + k, and owns the points [i * NX / PX, (i + 1) * NX / PX)
/// along x, so blocks differ by one point at most (unless GridOptions::lengths says otherwise). The ranks are numbered
/// as those of MPI_Cart_create (unless GridOptions::ranks says otherwise). 10 points on 3 ranks, periodic:
///
///     rank 0: 0 1 2     rank 1: 3 4 5     rank 2: 6 7 8 9        neighbour({-1}) of rank 0 is rank 2
///
/// With the same arguments, the constructor throws on all ranks or on none.
class CartesianGrid {
 public:
  /// The grid as rank `rank` of `ranks` sees it. Throws Error if there are not one to three axes, or the ranks can't be
  /// arranged so that each owns a point.
  CartesianGrid(int rank, int ranks, const GridOptions& options);
  /// The same with the transport's rank and size. Not collective.
  CartesianGrid(const Transport& transport, const GridOptions& options)
      : CartesianGrid(transport.rank(), transport.size(), options) {}

  /// The number of axes, 1 to 3.
  std::size_t dimensions() const { return dimensions_; }
  /// Points of the whole grid.
  const Index& extent() const { return extent_; }
  /// Whether the last point's neighbour along the axis is the first.
  bool is_periodic(std::size_t axis) const { return periodic_[axis]; }
  /// Ranks along each axis.
  const std::array<int, 3>& processes() const { return processes_; }
  /// The number of ranks.
  int ranks() const { return processes_[0] * processes_[1] * processes_[2]; }

  /// This rank.
  int rank() const { return rank_; }
  /// The position of this rank in the grid of ranks.
  std::array<int, 3> coordinates() const { return coordinates_of(rank_); }
  /// The position of any rank.
  std::array<int, 3> coordinates_of(int rank) const;
  /// The rank at each position, as given in GridOptions::ranks.
  const std::vector<int>& order() const { return order_; }
  /// The points that this rank owns, numbered over the whole grid.
  Box block() const { return block_; }
  /// The points that any rank owns.
  Box block_of(int rank) const;
  /// The length of the shortest block of all ranks along an axis.
  std::size_t shortest(std::size_t axis) const;
  /// Where the blocks begin along an axis, and the end of the last one.
  const std::vector<std::size_t>& bounds(std::size_t axis) const { return bounds_[axis]; }

  /// The rank that owns the block in this direction (perhaps this rank), or none beyond the edge of the grid.
  std::optional<int> neighbour(const Direction& direction) const;
  /// Whether there is a block (perhaps this rank's own) beyond the face; `side`: -1 or 1.
  bool has_neighbour(std::size_t axis, int side) const;
  /// Whether any rank has a neighbour along an axis.
  bool is_linked(std::size_t axis) const { return processes_[axis] > 1 || periodic_[axis]; }

 private:
  std::size_t dimensions_ = 0;
  Index extent_{1, 1, 1};
  std::array<int, 3> processes_{1, 1, 1};
  std::array<bool, 3> periodic_{};
  std::array<std::vector<std::size_t>, 3> bounds_;
  std::vector<int> order_, positions_;  // the rank at each position, and the reverse; none: the same number
  int rank_;
  Box block_;
};

/// The directions of all neighbours (26 for three dimensions): faces first, then edges and corners. Unused axes have 0.
std::vector<Direction> directions_of(std::size_t dimensions);
/// The number of a direction, 0 to 26, the same on all ranks; opposite directions add up to 26.
inline unsigned number_of(const Direction& d) {
  return static_cast<unsigned>((d[0] + 1) * 9 + (d[1] + 1) * 3 + d[2] + 1);
}
/// The opposite direction.
inline Direction opposite(const Direction& d) { return {-d[0], -d[1], -d[2]}; }

}  // namespace weft
