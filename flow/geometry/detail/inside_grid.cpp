// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/inside_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "geometry/boundary.hpp"

namespace weft::geometry::detail {

namespace {

constexpr double most_in_box = 16e6;

struct RayHit {
  std::int64_t column;
  double height;  // in voxels
  int turn;       // +1 where an upward ray enters
};

Grid grid_around(const Surface& surface, double voxels) {
  Vector low = surface.vertices.front(), high = low;
  for (const auto& v : surface.vertices)
    for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], v[d]), high[d] = std::max(high[d], v[d]);
  const auto size = high - low;
  const double longest = std::max({size[0], size[1], size[2]});
  double box = 1;
  for (const double s : size) box *= std::max(s, 1e-3 * longest);
  const double volume = std::clamp(std::abs(signed_volume(surface)), 1e-6 * box, box);
  Grid grid;
  grid.voxel = std::max(std::cbrt(volume / voxels), std::cbrt(box / most_in_box));
  for (std::size_t d = 0; d < 3; ++d) {
    grid.extent[d] = static_cast<std::int32_t>(std::ceil(size[d] / grid.voxel)) + 3;
    grid.origin[d] = low[d] - 0.5 * (grid.extent[d] * grid.voxel - size[d]) + 0.5 * grid.voxel;
  }
  return grid;
}

// The crossings of the surface with upward rays through the centres of voxels. The rays are shifted by a small offset
// that no edge is likely to share.
std::vector<RayHit> crossings_of(const Surface& surface, const Grid& grid) {
  constexpr std::array<double, 2> aside = {1.2347e-4, 2.7183e-4};
  std::vector<RayHit> all;
  for (const auto& t : surface.triangles) {
    std::array<Vector, 3> p{};
    for (std::size_t k = 0; k < 3; ++k) {
      p[k] = (1 / grid.voxel) * (surface.vertices[t[k]] - grid.origin);
      for (std::size_t d = 0; d < 2; ++d) p[k][d] -= aside[d];
    }
    const double twice = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    if (twice == 0) continue;
    std::array<std::int32_t, 2> first{}, last{};
    for (std::size_t d = 0; d < 2; ++d) {
      first[d] = std::max(0, static_cast<std::int32_t>(std::ceil(std::min({p[0][d], p[1][d], p[2][d]}))));
      last[d] =
          std::min(grid.extent[d] - 1, static_cast<std::int32_t>(std::floor(std::max({p[0][d], p[1][d], p[2][d]}))));
    }
    for (auto y = first[1]; y <= last[1]; ++y)
      for (auto x = first[0]; x <= last[0]; ++x) {
        std::array<double, 3> weight{};
        for (std::size_t k = 0; k < 3; ++k) {
          const auto &a = p[(k + 1) % 3], &b = p[(k + 2) % 3];
          weight[k] = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / twice;
        }
        if (weight[0] < 0 || weight[1] < 0 || weight[2] < 0) continue;
        all.push_back({std::int64_t{y} * grid.extent[0] + x,
                       weight[0] * p[0][2] + weight[1] * p[1][2] + weight[2] * p[2][2], twice < 0 ? 1 : -1});
      }
  }
  std::sort(all.begin(), all.end(), [](const RayHit& a, const RayHit& b) {
    return std::pair(a.column, a.height) < std::pair(b.column, b.height);
  });
  return all;
}

void fill(InsideGrid& g, const std::vector<RayHit>& crossings) {
  const auto plane = std::int64_t{g.grid.extent[0]} * g.grid.extent[1];
  for (std::size_t i = 0; i < crossings.size();) {
    const auto column = crossings[i].column;
    int winding = 0;
    for (; i < crossings.size() && crossings[i].column == column; ++i) {
      winding += crossings[i].turn;
      if (winding == 0 || i + 1 == crossings.size() || crossings[i + 1].column != column) continue;
      const auto from = std::max(0, static_cast<std::int32_t>(std::ceil(crossings[i].height)));
      const auto to = std::min(g.grid.extent[2], static_cast<std::int32_t>(std::ceil(crossings[i + 1].height)));
      for (auto z = from; z < to; ++z) g.number[static_cast<std::size_t>(z * plane + column)] = 0;
    }
  }
}

// Numbers the parts whose voxels share faces, the largest first; removes the smallest.
void keep_parts(InsideGrid& g) {
  constexpr std::int64_t least = 8;  // voxels
  const auto& e = g.grid.extent;
  const std::array<std::int64_t, 3> stride{1, e[0], std::int64_t{e[0]} * e[1]};
  std::vector<std::int32_t> part(g.number.size(), -1);
  std::vector<std::int64_t> sizes, stack;
  for (std::size_t start = 0; start < part.size(); ++start) {
    if (g.number[start] < 0 || part[start] >= 0) continue;
    const auto name = static_cast<std::int32_t>(sizes.size());
    sizes.push_back(0);
    part[start] = name;
    stack.push_back(static_cast<std::int64_t>(start));
    while (!stack.empty()) {
      const auto at = stack.back();
      stack.pop_back();
      ++sizes.back();
      for (const auto s : stride)
        for (const auto to : {at - s, at + s}) {
          if (to < 0 || to >= static_cast<std::int64_t>(part.size())) continue;
          const auto i = static_cast<std::size_t>(to);
          if (g.number[i] < 0 || part[i] >= 0) continue;
          part[i] = name;
          stack.push_back(to);
        }
    }
  }
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  std::vector<std::int32_t> rank(sizes.size(), -1);
  for (std::size_t k = 0; k < order.size() && (k == 0 || sizes[order[k]] >= least); ++k) {
    rank[order[k]] = static_cast<std::int32_t>(k);
    g.part_sizes.push_back(sizes[order[k]]);
  }
  std::size_t i = 0;
  for (std::int32_t z = 0; z < e[2]; ++z)
    for (std::int32_t y = 0; y < e[1]; ++y)
      for (std::int32_t x = 0; x < e[0]; ++x, ++i) {
        const auto own = g.number[i] < 0 ? -1 : rank[static_cast<std::size_t>(part[i])];
        g.number[i] = own < 0 ? -1 : static_cast<std::int32_t>(g.inside.size());
        if (own < 0) continue;
        g.inside.push_back({x, y, z});
        g.part.push_back(own);
      }
}

// One line of the squared distance transform: the lower envelope of parabolas (Felzenszwalb and Huttenlocher 2012).
class LineDistances {
 public:
  explicit LineDistances(std::size_t longest) : at_(longest), from_(longest + 1), line_(longest) {}

  void sweep(float* first, std::size_t count, std::size_t stride) {
    constexpr double none = std::numeric_limits<double>::infinity();
    std::size_t parabolas = 0;
    for (std::size_t q = 0; q < count; ++q) {
      line_[q] = first[q * stride];
      if (line_[q] == none) continue;
      const auto value = [&](std::size_t k) { return line_[k] + static_cast<double>(k) * static_cast<double>(k); };
      double meet = -none;
      while (parabolas > 0) {
        const auto before = at_[parabolas - 1];
        meet = (value(q) - value(before)) / (2 * static_cast<double>(q - before));
        if (meet > from_[parabolas - 1]) break;
        --parabolas;
        meet = -none;
      }
      at_[parabolas] = q;
      from_[parabolas++] = meet;
    }
    if (parabolas == 0) return;
    for (std::size_t q = 0, k = 0; q < count; ++q) {
      while (k + 1 < parabolas && from_[k + 1] < static_cast<double>(q)) ++k;
      const double away = static_cast<double>(q) - static_cast<double>(at_[k]);
      first[q * stride] = static_cast<float>(away * away + line_[at_[k]]);
    }
  }

 private:
  std::vector<std::size_t> at_;
  std::vector<double> from_, line_;
};

void measure(InsideGrid& g) {
  const auto& e = g.grid.extent;
  const std::array<std::size_t, 3> n{static_cast<std::size_t>(e[0]), static_cast<std::size_t>(e[1]),
                                     static_cast<std::size_t>(e[2])};
  std::vector<float> square(g.number.size());
  for (std::size_t i = 0; i < square.size(); ++i)
    square[i] = g.number[i] < 0 ? 0 : std::numeric_limits<float>::infinity();
  LineDistances lines(std::max({n[0], n[1], n[2]}));
  for (std::size_t z = 0; z < n[2]; ++z)
    for (std::size_t y = 0; y < n[1]; ++y) lines.sweep(&square[(z * n[1] + y) * n[0]], n[0], 1);
  for (std::size_t z = 0; z < n[2]; ++z)
    for (std::size_t x = 0; x < n[0]; ++x) lines.sweep(&square[z * n[1] * n[0] + x], n[1], n[0]);
  for (std::size_t y = 0; y < n[1]; ++y)
    for (std::size_t x = 0; x < n[0]; ++x) lines.sweep(&square[y * n[0] + x], n[2], n[0] * n[1]);
  g.radius.reserve(g.inside.size());
  for (std::size_t i = 0; i < square.size(); ++i)
    if (g.number[i] >= 0) g.radius.push_back(static_cast<float>(g.grid.voxel * (std::sqrt(square[i]) - 0.5F)));
}

}  // namespace

std::int32_t InsideGrid::nearest(const Vector& place) const {
  std::int32_t best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const auto away = grid.centre(inside[i]) - place;
    const double square = dot(away, away);
    if (square < least) least = square, best = static_cast<std::int32_t>(i);
  }
  return best;
}

InsideGrid fill_inside(const Surface& surface, double voxels) {
  InsideGrid g;
  g.grid = grid_around(surface, voxels);
  g.number.assign(static_cast<std::size_t>(std::int64_t{g.grid.extent[0]} * g.grid.extent[1] * g.grid.extent[2]), -1);
  fill(g, crossings_of(surface, g.grid));
  keep_parts(g);
  measure(g);
  return g;
}

}  // namespace weft::geometry::detail
