// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/wall_stencils.hpp"

#include <algorithm>
#include <cmath>

namespace weft::flow {

using geometry::dot;
using geometry::operator+;
using geometry::operator-;
using geometry::operator*;
using geometry::Vector;

namespace {

using Triangle = std::array<Vector, 3>;

struct Piece {
  Triangle corners;
  double share;  // fraction of the triangle's area
};

/// Halves a piece across its longest edge, if that is longer than `longest`.
bool halve(const Piece& piece, double longest, Piece& first, Piece& second) {
  const auto& c = piece.corners;
  std::size_t at = 0;
  double most = 0;
  for (std::size_t k = 0; k < 3; ++k)
    if (const double edge = geometry::length(c[(k + 1) % 3] - c[k]); edge > most) most = edge, at = k;
  if (!(most > longest)) return false;
  const auto &a = c[at], &b = c[(at + 1) % 3], &opposite = c[(at + 2) % 3];
  const auto middle = 0.5 * (a + b);
  first = {{a, middle, opposite}, piece.share / 2};
  second = {{middle, b, opposite}, piece.share / 2};
  return true;
}

/// The triangle's normal and two directions in its plane.
Triangle axes_of(const Triangle& c) {
  const auto n = geometry::normalised(geometry::cross(c[1] - c[0], c[2] - c[0]));
  const auto u = geometry::normalised(c[1] - c[0]);
  return {n, u, geometry::cross(n, u)};
}

}  // namespace

WallStencils::WallStencils(std::span<const WallPoint> points, double voxel) : points_(points), voxel_(voxel) {
  if (points.empty()) return;
  low_ = high_ = points.front().at;
  for (const auto& point : points)
    for (std::size_t d = 0; d < 3; ++d)
      low_[d] = std::min(low_[d], point.at[d]), high_[d] = std::max(high_[d], point.at[d]);
  for (std::size_t k = 0; k < points.size(); ++k)
    cells_[cell_of(cell_index_of(points[k].at))].push_back(static_cast<std::uint32_t>(k));
}

// Cells are as wide as the reach; the offset leaves space for one more cell on all sides.
std::array<std::int64_t, 3> WallStencils::cell_index_of(const Vector& at) const {
  std::array<std::int64_t, 3> place;
  for (std::size_t d = 0; d < 3; ++d)
    place[d] = static_cast<std::int64_t>(std::floor((at[d] - low_[d]) / (reach * voxel_))) + 2;
  return place;
}

std::int64_t WallStencils::cell_of(const std::array<std::int64_t, 3>& place) const {
  constexpr std::int64_t wide = std::int64_t{1} << 21;
  return (place[2] * wide + place[1]) * wide + place[0];
}

bool WallStencils::is_far(const Triangle& piece) const {
  for (std::size_t d = 0; d < 3; ++d) {
    const auto [least, most] = std::minmax({piece[0][d], piece[1][d], piece[2][d]});
    if (least > high_[d] + reach * voxel_ || most < low_[d] - reach * voxel_) return true;
  }
  return points_.empty();
}

void WallStencils::find_near(const Vector& sample, const Triangle& axes, std::vector<Near>& near) const {
  near.clear();
  const auto middle = cell_index_of(sample);
  for (std::int64_t k = 0; k < 27; ++k) {
    const auto cell = cells_.find(cell_of({middle[0] + k % 3 - 1, middle[1] + k / 3 % 3 - 1, middle[2] + k / 9 - 1}));
    if (cell == cells_.end()) continue;
    for (const auto number : cell->second) {
      const auto& point = points_[number];
      if (!(dot(point.normal, axes[0]) > 0.5)) continue;
      const auto r = (1 / voxel_) * (point.at - sample);
      const double off = 2 * dot(r, axes[0]), u = dot(r, axes[1]), v = dot(r, axes[2]);
      const double closeness = 1 - (u * u + v * v + off * off) / (reach * reach);
      if (closeness > 0) near.push_back({number, u, v, closeness * closeness});
    }
  }
  std::ranges::sort(near, {}, &Near::point);  // so that sums are in the order of the sites
}

std::vector<WallStencils::Entry> WallStencils::of(const Triangle& corners) const {
  const auto axes = axes_of(corners);  // not-a-number for a triangle without area: then no point is near
  struct Weighted {
    std::uint32_t point;
    double weight;
  };
  std::vector<Weighted> parts;
  std::vector<Near> near;
  double covered = 0;
  std::vector<Piece> pieces = {{corners, 1}};
  while (!pieces.empty()) {
    const auto piece = pieces.back();
    pieces.pop_back();
    if (is_far(piece.corners)) continue;
    if (Piece first, second; halve(piece, voxel_, first, second)) {
      pieces.push_back(first);
      pieces.push_back(second);
      continue;
    }
    find_near((1.0 / 3) * (piece.corners[0] + piece.corners[1] + piece.corners[2]), axes, near);
    if (near.empty()) continue;
    covered += piece.share;
    double s = 0, su = 0, sv = 0, suu = 0, suv = 0, svv = 0;
    for (const auto& n : near) {
      s += n.weight, su += n.weight * n.u, sv += n.weight * n.v;
      suu += n.weight * n.u * n.u, suv += n.weight * n.u * n.v, svv += n.weight * n.v * n.v;
    }
    // Weight of point k in the fitted plane's value at the sample: w_k (a + b u_k + c v_k) / determinant.
    const double a = suu * svv - suv * suv, b = suv * sv - su * svv, c = su * suv - sv * suu;
    const double determinant = s * a + su * b + sv * c;
    const auto height = [&](const Near& n) { return n.weight * (a + b * n.u + c * n.v) / determinant; };
    const bool is_plane = determinant > 0.01 * s * s * s &&
                          std::ranges::all_of(near, [&](const Near& n) { return std::abs(height(n)) < 1; });
    for (const auto& n : near) parts.push_back({n.point, piece.share * (is_plane ? height(n) : n.weight / s)});
  }
  std::ranges::stable_sort(parts, {}, &Weighted::point);
  std::vector<Entry> entries;
  for (std::size_t k = 0; k < parts.size();) {
    double weight = 0;
    const auto point = parts[k].point;
    for (; k < parts.size() && parts[k].point == point; ++k) weight += parts[k].weight;
    entries.push_back({point, static_cast<float>(weight / covered)});
  }
  return entries;
}

}  // namespace weft::flow
