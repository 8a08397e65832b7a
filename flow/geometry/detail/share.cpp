// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/share.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "geometry/detail/block_links.hpp"
#include "geometry/detail/triangle_index.hpp"
#include "weft/error.hpp"

namespace weft::geometry::detail {

Tiling::Tiling(const Grid& grid, int ranks) : ranks_(ranks) {
  constexpr double tiles_per_rank = 8;
  constexpr double most_blocks = 16;
  const auto blocks = grid.blocks();
  const double columns = static_cast<double>(blocks[0]) * blocks[1];
  const double side = std::floor(std::sqrt(columns / (tiles_per_rank * ranks)));
  width_ = block_width * static_cast<std::int32_t>(std::clamp(side, 1.0, most_blocks));
  for (std::size_t k = 0; k < 2; ++k) across_[k] = (grid.extent[k] + width_ - 1) / width_;
}

std::array<std::uint32_t, 2> Share::line(const Tiling& tiling, std::int32_t x, std::int32_t y) const {
  const auto number = tiling.tile_of(x, y);
  const auto index = tile_index[static_cast<std::size_t>(number)];
  if (index < 0) return {0, 0};
  const auto origin = tiling.origin(number);
  const auto line = static_cast<std::size_t>((y - origin[1]) * tiling.width() + x - origin[0]);
  const auto& runs_of = tiles[static_cast<std::size_t>(index)].line_runs;
  return {runs_of[line], runs_of[line + 1]};
}

namespace {

constexpr std::size_t most_sites = std::numeric_limits<std::uint32_t>::max();
InputError too_many_sites() {
  return InputError("One rank has more than 2^32 sites (a rank numbers its sites with 32 bits). Use more ranks.");
}

// Consecutive sites along z with the same winding number.
struct Interval {
  std::int32_t low, high;
  std::int8_t winding;
  std::uint32_t site;  // index of `low` in Share, if the line belongs to the tile
};

class TileVoxeliser {
 public:
  TileVoxeliser(const TriangleIndex& triangles, BlockLinks& links, const Grid& grid, const Tiling& tiling, Share& share)
      : triangles_(triangles), links_(links), grid_(grid), width_(tiling.width()), share_(share) {}

  void run(std::int64_t number, const std::array<std::int32_t, 2>& origin) {
    origin_ = origin;
    cast_lines();
    const std::size_t first_site = share_.fluid.size();
    const std::size_t first_cut = share_.cuts.size();
    number_sites();
    if (share_.fluid.size() == first_site) return;
    for (std::int32_t y = 0; y < width_; y += block_width)
      for (std::int32_t x = 0; x < width_; x += block_width) judge_column(x, y);
    std::sort(share_.cuts.begin() + static_cast<std::ptrdiff_t>(first_cut), share_.cuts.end(),
              [](const Cut& a, const Cut& b) { return a.site != b.site ? a.site < b.site : a.link < b.link; });
    store_runs(number);
  }

 private:
  // Lines of the tile and of the one-site layer around it; local x and y from -1 to width.
  std::size_t line(std::int32_t x, std::int32_t y) const {
    return static_cast<std::size_t>((y + 1) * (width_ + 2) + x + 1);
  }
  std::span<Interval> intervals(std::int32_t x, std::int32_t y) {
    const auto l = line(x, y);
    return std::span(intervals_).subspan(line_start_[l], line_start_[l + 1] - line_start_[l]);
  }

  void cast_lines() {
    intervals_.clear();
    line_start_.assign(1, 0);
    for (std::int32_t y = -1; y <= width_; ++y)
      for (std::int32_t x = -1; x <= width_; ++x) {
        const auto gx = origin_[0] + x, gy = origin_[1] + y;
        if (gx >= 0 && gy >= 0 && gx < grid_.extent[0] && gy < grid_.extent[1]) cast_line(gx, gy);
        line_start_.push_back(intervals_.size());
      }
  }

  void cast_line(std::int32_t x, std::int32_t y) {
    triangles_.column(x, y, crossings_);
    int winding = 0;
    for (std::size_t i = 0; i < crossings_.size(); ++i) {
      winding += crossings_[i].winding;
      if (i + 1 == crossings_.size()) break;
      if (winding <= 0) continue;
      // A site at exactly the height of a crossing lies below it, as in BlockLinks.
      const auto low = static_cast<std::int32_t>(std::floor(crossings_[i].height)) + 1;
      const auto high = static_cast<std::int32_t>(std::floor(crossings_[i + 1].height));
      constexpr int most = std::numeric_limits<std::int8_t>::max();
      if (low <= high) intervals_.push_back({low, high, static_cast<std::int8_t>(std::min(winding, most)), 0});
    }
    if (winding != 0)
      throw InputError("The surface is not closed (the line along z through site " + std::to_string(x) + ", " +
                       std::to_string(y) + " does not leave it as often as it enters). Close it with close_surface.");
  }

  void number_sites() {
    for (std::int32_t y = 0; y < width_; ++y)
      for (std::int32_t x = 0; x < width_; ++x)
        for (auto& interval : intervals(x, y)) {
          const auto count = static_cast<std::size_t>(interval.high - interval.low) + 1;
          if (share_.fluid.size() + count > most_sites) throw too_many_sites();
          interval.site = static_cast<std::uint32_t>(share_.fluid.size());
          share_.fluid.resize(share_.fluid.size() + count, all_links);
        }
  }

  void judge_column(std::int32_t x, std::int32_t y) {
    blocks_.clear();
    for (std::int32_t j = y; j < y + block_width; ++j)
      for (std::int32_t i = x; i < x + block_width; ++i)
        for (const auto& interval : intervals(i, j))
          for (auto z = interval.low / block_width; z <= interval.high / block_width; ++z)
            if (blocks_.empty() || blocks_.back() != z) blocks_.push_back(z);
    std::sort(blocks_.begin(), blocks_.end());
    blocks_.erase(std::unique(blocks_.begin(), blocks_.end()), blocks_.end());
    for (const auto z : blocks_)
      if (links_.anything_near({origin_[0] + x, origin_[1] + y, z * block_width})) judge_block(x, y, z * block_width);
  }

  void judge_block(std::int32_t x, std::int32_t y, std::int32_t z) {
    windings_.at.fill(0);
    for (int j = -1; j <= block_width; ++j)
      for (int i = -1; i <= block_width; ++i)
        for (const auto& interval : intervals(x + i, y + j))
          for (int k = std::max(interval.low - z, -1); k <= std::min(interval.high - z, block_width); ++k)
            windings_.at[static_cast<std::size_t>(Windings::index(i, j, k))] = interval.winding;
    links_.judge(windings_);
    for (int j = 0; j < block_width; ++j)
      for (int i = 0; i < block_width; ++i)
        for (const auto& interval : intervals(x + i, y + j))
          for (int k = std::max(interval.low - z, 0); k <= std::min(interval.high - z, block_width - 1); ++k) {
            const auto local = static_cast<std::size_t>((k * block_width + j) * block_width + i);
            site_of_[local] = interval.site + static_cast<std::uint32_t>(z + k - interval.low);
            share_.fluid[site_of_[local]] = links_.fluid()[local];
          }
    for (const auto& cut : links_.cuts())
      share_.cuts.push_back({site_of_[cut.site], cut.link, cut.opening, cut.distance});
  }

  void store_runs(std::int64_t number) {
    constexpr std::uint32_t upwards_bit = 1U << link_index(0, 0, 1);
    auto& tile = share_.tiles.emplace_back();
    tile.number = number;
    share_.tile_index[static_cast<std::size_t>(number)] = static_cast<std::int32_t>(share_.tiles.size() - 1);
    tile.line_runs.push_back(static_cast<std::uint32_t>(share_.runs.size()));
    for (std::int32_t y = 0; y < width_; ++y)
      for (std::int32_t x = 0; x < width_; ++x) {
        bool joined = false;  // the site below exists and is connected
        std::int32_t next = 0;
        for (const auto& interval : intervals(x, y))
          for (auto z = interval.low; z <= interval.high; ++z) {
            const auto site = interval.site + static_cast<std::uint32_t>(z - interval.low);
            if (joined && z == next) {
              ++share_.runs.back().count;
            } else {
              share_.runs.push_back({{origin_[0] + x, origin_[1] + y, z}, site, 1});
            }
            joined = (share_.fluid[site] & upwards_bit) != 0;
            next = z + 1;
          }
        tile.line_runs.push_back(static_cast<std::uint32_t>(share_.runs.size()));
      }
  }

  const TriangleIndex& triangles_;
  BlockLinks& links_;
  const Grid& grid_;
  std::int32_t width_;
  Share& share_;
  std::array<std::int32_t, 2> origin_{};
  std::vector<Crossing> crossings_;
  std::vector<Interval> intervals_;
  std::vector<std::size_t> line_start_;
  std::vector<std::int32_t> blocks_;
  Windings windings_;
  std::array<std::uint32_t, block_sites> site_of_{};
};

Share empty_share(const Tiling& tiling, std::size_t openings) {
  Share share;
  share.tile_index.assign(static_cast<std::size_t>(tiling.tiles()), -1);
  share.met_from_behind.assign(openings, 0);
  return share;
}

// Appends the later tiles of `more`.
void append(Share& share, const Share& more) {
  const auto sites = share.fluid.size(), runs = share.runs.size();
  if (sites + more.fluid.size() > most_sites) throw too_many_sites();
  share.fluid.insert(share.fluid.end(), more.fluid.begin(), more.fluid.end());
  for (auto cut : more.cuts) {
    cut.site += static_cast<std::uint32_t>(sites);
    share.cuts.push_back(cut);
  }
  for (auto run : more.runs) {
    run.site += static_cast<std::uint32_t>(sites);
    share.runs.push_back(run);
  }
  for (auto tile : more.tiles) {
    for (auto& run : tile.line_runs) run += static_cast<std::uint32_t>(runs);
    share.tile_index[static_cast<std::size_t>(tile.number)] = static_cast<std::int32_t>(share.tiles.size());
    share.tiles.push_back(std::move(tile));
  }
  for (std::size_t o = 0; o < share.met_from_behind.size(); ++o) share.met_from_behind[o] += more.met_from_behind[o];
}

}  // namespace

Share voxelise(const Surface& surface, const std::vector<Disc>& discs, const Grid& grid, const Tiling& tiling, int rank,
               int threads) {
  std::vector<std::int64_t> tiles;
  for (std::int64_t tile = 0; tile < tiling.tiles(); ++tile)
    if (tiling.rank_of(tile) == rank) tiles.push_back(tile);
  const TriangleIndex triangles(surface, grid);
  const auto run = [&](std::span<const std::int64_t> some) {
    auto share = empty_share(tiling, discs.size());
    BlockLinks links(triangles, discs);
    TileVoxeliser voxeliser(triangles, links, grid, tiling, share);
    for (const auto tile : some) voxeliser.run(tile, tiling.origin(tile));
    share.met_from_behind = links.met_from_behind();
    return share;
  };
  if (threads <= 1) return run(tiles);

  std::vector<Share> shares(tiles.size());
  std::vector<std::exception_ptr> errors(tiles.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < tiles.size(); k = next++) try {
        shares[k] = run(std::span(tiles).subspan(k, 1));
      } catch (...) {
        errors[k] = std::current_exception();
      }
  };
  {
    std::vector<std::jthread> others;
    for (int k = 1; k < threads; ++k) others.emplace_back(work);
    work();
  }
  auto share = empty_share(tiling, discs.size());
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    if (errors[k]) std::rethrow_exception(errors[k]);
    append(share, std::exchange(shares[k], {}));
  }
  return share;
}

}  // namespace weft::geometry::detail
