// SPDX-License-Identifier: BSD-3-Clause
//
// The sites that one rank voxelises, before the vessel is divided by weight.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "geometry/detail/crossing.hpp"
#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace weft::geometry::detail {

/// The distribution of the columns of blocks over the ranks: in square tiles, one after the other. Tiles are small
/// enough that each rank gets several, and large enough that most neighbours are in the same tile.
class Tiling {
 public:
  Tiling(const Grid& grid, int ranks);

  std::int64_t tiles() const { return std::int64_t{across_[0]} * across_[1]; }
  std::int64_t tile_of(std::int32_t x, std::int32_t y) const {
    return std::int64_t{y / width_} * across_[0] + x / width_;
  }
  int rank_of(std::int64_t tile) const { return static_cast<int>(tile % ranks_); }
  /// The tile's first column of sites.
  std::array<std::int32_t, 2> origin(std::int64_t tile) const {
    return {static_cast<std::int32_t>(tile % across_[0]) * width_,
            static_cast<std::int32_t>(tile / across_[0]) * width_};
  }
  std::int32_t width() const { return width_; }  ///< in sites

 private:
  int ranks_;
  std::int32_t width_;
  std::array<std::int32_t, 2> across_;
};

/// Consecutive sites along z, each connected to the next.
struct Run {
  Position first;      ///< the lowest
  std::uint32_t site;  ///< its index in Share
  std::uint32_t count;

  Position position(std::uint32_t i) const { return {first[0], first[1], first[2] + static_cast<std::int32_t>(i)}; }
  std::int32_t last_z() const { return first[2] + static_cast<std::int32_t>(count) - 1; }
};

/// The sites inside the surface in one rank's tiles.
struct Share {
  struct Tile {
    std::int64_t number;
    std::vector<std::uint32_t>
        line_runs;  ///< first run of each line of sites upwards (x fastest), and one past the last
  };

  std::vector<Run> runs;             ///< by tile, line and height
  std::vector<std::uint32_t> fluid;  ///< per site, as in Domain
  std::vector<Cut> cuts;             ///< ascending by (site, link)
  std::vector<Tile> tiles;
  std::vector<std::int32_t> tile_index;       ///< of each tile of the grid; -1: another rank's, or empty
  std::vector<std::int64_t> met_from_behind;  ///< per opening, links that met its disc from the wrong side

  /// Indices of the first run and one past the last run of a line whose tile is this rank's.
  std::array<std::uint32_t, 2> line(const Tiling& tiling, std::int32_t x, std::int32_t y) const;
};

/// Voxelises the tiles of one rank. Not collective. Time: a search for each column of sites, and 13 drawings of each
/// triangle near a block; memory: the sites inside, and the crossings of one tile. With more `threads`, which change no
/// result, the sites inside are in memory twice for a moment.
Share voxelise(const Surface& surface, const std::vector<Disc>& discs, const Grid& grid, const Tiling& tiling, int rank,
               int threads = 1);

}  // namespace weft::geometry::detail
