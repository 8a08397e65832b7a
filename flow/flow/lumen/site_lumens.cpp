// SPDX-License-Identifier: BSD-3-Clause
#include "flow/lumen/site_lumens.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

using geometry::Lumen, geometry::Plane, geometry::Polygon, geometry::Position;

/// Sample position in a cell: not on a boundary between voxels if cells and voxels are aligned.
constexpr double off_x = 0.31, off_y = 0.43;

/// The cells of a plane that lie in voxels of sites.
class SiteRaster {
 public:
  SiteRaster(const Plane& plane, double cell, int reach, const geometry::Grid& grid, const std::vector<Position>& sites)
      : cell_(cell), reach_(reach), across_(2 * reach + 1),
        kind_(static_cast<std::size_t>(across_) * static_cast<std::size_t>(across_), 0) {
    for (int j = -reach; j <= reach; ++j)
      for (int i = -reach; i <= reach; ++i) {
        const auto p = plane.at({(i + off_x) * cell, (j + off_y) * cell});
        Position site{};
        for (std::size_t d = 0; d < 3; ++d)
          site[d] = static_cast<std::int32_t>(std::lround((p[d] - grid.origin[d]) / grid.voxel));
        if (std::binary_search(sites.begin(), sites.end(), site)) kind(i, j) = free;
      }
  }

  /// Takes the connected patch of cells around the middle, or the one nearest to it.
  bool choose() {
    std::array<int, 2> start{};
    double nearest = HUGE_VAL;
    for (int j = -reach_; j <= reach_; ++j)
      for (int i = -reach_; i <= reach_; ++i)
        if (kind(i, j) == free && std::hypot(i, j) < nearest) nearest = std::hypot(i, j), start = {i, j};
    if (nearest == HUGE_VAL) return false;
    std::vector<std::array<int, 2>> queue{start};
    kind(start[0], start[1]) = taken;
    while (!queue.empty()) {
      const auto [i, j] = queue.back();
      queue.pop_back();
      for (const auto& [di, dj] : {std::array{1, 0}, std::array{-1, 0}, std::array{0, 1}, std::array{0, -1}}) {
        if (std::abs(i + di) > reach_ || std::abs(j + dj) > reach_ || kind(i + di, j + dj) != free) continue;
        kind(i + di, j + dj) = taken;
        queue.push_back({i + di, j + dj});
      }
    }
    return true;
  }

  /// The outlines of the taken cells, with the inside to the left.
  std::vector<Polygon> outlines() const {
    using Corner = std::array<int, 2>;
    std::map<Corner, std::vector<Corner>> ways;
    const auto is_taken = [&](int i, int j) {
      return std::abs(i) <= reach_ && std::abs(j) <= reach_ && kind(i, j) == taken;
    };
    for (int j = -reach_; j <= reach_; ++j)
      for (int i = -reach_; i <= reach_; ++i) {
        if (!is_taken(i, j)) continue;
        if (!is_taken(i, j - 1)) ways[{i, j}].push_back({i + 1, j});
        if (!is_taken(i + 1, j)) ways[{i + 1, j}].push_back({i + 1, j + 1});
        if (!is_taken(i, j + 1)) ways[{i + 1, j + 1}].push_back({i, j + 1});
        if (!is_taken(i - 1, j)) ways[{i, j + 1}].push_back({i, j});
      }
    std::vector<Polygon> result;
    while (!ways.empty()) {
      Polygon ring;
      Corner at = ways.begin()->first, came{};
      while (true) {
        const auto found = ways.find(at);
        if (found == ways.end()) break;
        auto& onward = found->second;
        // If two cells meet only at a corner, turn left, so that they stay separate.
        auto next = onward.begin();
        for (auto it = onward.begin(); it != onward.end() && onward.size() > 1 && !ring.empty(); ++it)
          if (came[0] * ((*it)[1] - at[1]) - came[1] * ((*it)[0] - at[0]) > 0) next = it;
        const Corner to = *next;
        onward.erase(next);
        if (onward.empty()) ways.erase(found);
        ring.push_back({(at[0] - 0.5 + off_x) * cell_, (at[1] - 0.5 + off_y) * cell_});
        came = {to[0] - at[0], to[1] - at[1]};
        at = to;
      }
      result.push_back(std::move(ring));
    }
    std::sort(result.begin(), result.end(),
              [](const Polygon& a, const Polygon& b) { return geometry::area(a) > geometry::area(b); });
    return result;
  }

 private:
  enum : char { free = 1, taken = 2 };
  char& kind(int i, int j) {
    return kind_[static_cast<std::size_t>(j + reach_) * static_cast<std::size_t>(across_) +
                 static_cast<std::size_t>(i + reach_)];
  }
  char kind(int i, int j) const {
    return kind_[static_cast<std::size_t>(j + reach_) * static_cast<std::size_t>(across_) +
                 static_cast<std::size_t>(i + reach_)];
  }

  double cell_;
  int reach_, across_;
  std::vector<char> kind_;
};

}  // namespace

std::vector<Lumen> lumens_of_sites(Transport& transport, const geometry::Domain& domain) {
  const auto& grid = domain.grid;
  // If the disc lies in a layer of sites, the plane lies between two layers, and rounding decides for each cell which
  // layer it samples. A slightly deeper or less deep plane then samples the whole layer of fluid.
  constexpr std::array<double, 3> depths = {1, 1.1, 0.9};
  constexpr double noticeably = 1.05;
  std::vector<Lumen> result;
  for (const auto& opening : domain.openings) {
    const auto disc = Plane::through(opening.centre, opening.normal);
    const auto& n = disc.normal;
    // The depth of the sites nearest to the plane on the fluid's side, for any normal.
    const double depth = 0.5 * grid.voxel * (std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]));
    const double far = 2 * opening.radius + 2 * grid.voxel;
    std::vector<Position> mine;
    for (const auto& site : domain.sites) {
      const auto p = grid.centre(site);
      if (std::abs(disc.above(p) - depth) > 1.15 * depth) continue;
      const auto flat = disc.flat(p);
      if (std::hypot(flat[0], flat[1]) < far) mine.push_back(site);
    }
    auto sites = all_gather(transport, mine);
    std::sort(sites.begin(), sites.end());
    const double cell = grid.voxel / 2;
    Lumen best;
    for (const double share : depths) {
      const auto plane = disc.moved(share * depth);
      SiteRaster raster(plane, cell, static_cast<int>(far / cell), grid, sites);
      if (!raster.choose()) continue;
      Lumen lumen{.plane = plane, .rings = raster.outlines()};
      for (const auto& ring : lumen.rings) lumen.area += geometry::area(ring);
      if (lumen.area > noticeably * best.area) best = std::move(lumen);
    }
    if (best.exists())
      best.reach = geometry::distances(best.rings.front(), {0, 0})[1];
    else
      best = geometry::round_lumen(opening);
    result.push_back(std::move(best));
  }
  return result;
}

}  // namespace weft::flow
