// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/block_links.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace weft::geometry::detail {

namespace {

// The index of a site within its block, or -1 in the layer around it.
constexpr int local_site(const Position& p) {
  for (const auto c : p)
    if (c < 0 || c >= block_width) return -1;
  return (p[2] * block_width + p[1]) * block_width + p[0];
}

constexpr Position moved(const Position& p, const std::array<int, 3>& step, int times = 1) {
  return {p[0] + times * step[0], p[1] + times * step[1], p[2] + times * step[2]};
}

// As std::ceil and std::floor, which are function calls on some processors, for numbers that an int can hold.
int ceiling(double x) {
  const int whole = static_cast<int>(x);
  return whole + (whole < x ? 1 : 0);
}
int floor_of(double x) {
  const int whole = static_cast<int>(x);
  return whole - (whole > x ? 1 : 0);
}

Vector as_vector(const Position& p) { return {double(p[0]), double(p[1]), double(p[2])}; }

}  // namespace

BlockLinks::BlockLinks(const TriangleIndex& triangles, std::span<const Disc> discs)
    : triangles_(triangles), discs_(discs), met_from_behind_(discs.size(), 0) {}

bool BlockLinks::anything_near(const Position& origin) {
  origin_ = origin;
  triangles_.near({{origin[0] - 1, origin[1] - 1, origin[2] - 1},
                   {origin[0] + block_width, origin[1] + block_width, origin[2] + block_width}},
                  near_triangles_);
  constexpr double half = (block_width - 1) / 2.0;
  const Vector middle = as_vector(origin) + Vector{half, half, half};
  near_discs_.clear();
  for (std::size_t i = 0; i < discs_.size(); ++i)
    if (discs_[i].near(middle, block_width + 1)) near_discs_.push_back(i);  // more than half a diagonal and a link
  return !near_triangles_.empty() || !near_discs_.empty();
}

void BlockLinks::judge(const Windings& windings) {
  fluid_.fill(0);
  cuts_.clear();
  for (const auto& direction : directions()) {
    collect_hits(direction);
    // Every link with an end in the block: from the block's own sites, and from the layer before them.
    Position low{}, high{};
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(0, -direction.step[k]);
      high[k] = block_width - 1 + std::max(0, -direction.step[k]);
    }
    const int along =
        Windings::index(direction.step[0], direction.step[1], direction.step[2]) - Windings::index(0, 0, 0);
    auto hit = hits_.begin();
    Position p{};
    for (p[2] = low[2]; p[2] <= high[2]; ++p[2])
      for (p[1] = low[1]; p[1] <= high[1]; ++p[1])
        for (p[0] = low[0]; p[0] <= high[0]; ++p[0]) {
          const int start = Windings::index(p[0], p[1], p[2]);
          while (hit != hits_.end() && hit->start < start) ++hit;
          const auto first = hit;
          while (hit != hits_.end() && hit->start == start) ++hit;
          const bool is_in = windings.at[std::size_t(start)] > 0, goes_in = windings.at[std::size_t(start + along)] > 0;
          if (!is_in && !goes_in) continue;
          if (is_in && goes_in && first == hit && near_discs_.empty())  // most links
            join(direction, local_site(p), local_site(moved(p, direction.step)));
          else
            judge_link(direction, p, windings, {first, hit});
        }
  }
}

// The points where the near triangles cross the lattice lines through the block. Each triangle is rasterised in the
// sheared plane.
void BlockLinks::collect_hits(const Direction& direction) {
  hits_.clear();
  // The plane coordinates of lines through the block and the layer around it.
  std::array<int, 2> low{}, high{};
  const std::array<std::size_t, 2> axes{direction.u, direction.v};
  for (std::size_t i = 0; i < 2; ++i) {
    const int step = direction.step[axes[i]];
    const int from = origin_[axes[i]] - 1, to = origin_[axes[i]] + block_width;
    const int from_major = origin_[direction.major] - 1, to_major = origin_[direction.major] + block_width;
    low[i] = from - std::max(step * from_major, step * to_major);
    high[i] = to - std::min(step * from_major, step * to_major);
  }
  for (const auto triangle : near_triangles_) {
    const auto projected = project(direction, triangles_.corners(triangle));
    std::array<int, 2> first{}, last{};
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& c = projected.corner;
      first[i] = ceiling(std::max<double>(std::min(c[0][i], std::min(c[1][i], c[2][i])), low[i]));
      last[i] = floor_of(std::min<double>(std::max(c[0][i], std::max(c[1][i], c[2][i])), high[i]));
    }
    for (int v = first[1]; v <= last[1]; ++v)
      for (int u = first[0]; u <= last[0]; ++u) {
        Crossing crossing;
        if (!crosses(projected, u, v, crossing)) continue;
        const double below = std::floor(crossing.height);
        if (below < origin_[direction.major] - 1 || below > origin_[direction.major] + block_width) continue;
        const int major = static_cast<int>(below);
        Position p{};
        p[direction.major] = major - origin_[direction.major];
        p[direction.u] = u + direction.step[direction.u] * major - origin_[direction.u];
        p[direction.v] = v + direction.step[direction.v] * major - origin_[direction.v];
        if (local_site(p) < 0 && local_site(moved(p, direction.step)) < 0) continue;
        hits_.push_back({Windings::index(p[0], p[1], p[2]), crossing.height - below, triangle, crossing.winding});
      }
  }
  std::sort(hits_.begin(), hits_.end(), [](const Hit& a, const Hit& b) {
    return std::tie(a.start, a.distance, a.triangle) < std::tie(b.start, b.distance, b.triangle);
  });
}

void BlockLinks::join(const Direction& direction, int local_from, int local_to) {
  if (local_from >= 0) fluid_[static_cast<std::size_t>(local_from)] |= 1U << direction.link;
  if (local_to >= 0) fluid_[static_cast<std::size_t>(local_to)] |= 1U << (26 - direction.link);
}

void BlockLinks::judge_link(const Direction& direction, const Position& local, const Windings& windings,
                            std::span<const Hit> hits) {
  const Position other = moved(local, direction.step);
  const int from = windings.at[static_cast<std::size_t>(Windings::index(local[0], local[1], local[2]))];
  const int to = windings.at[static_cast<std::size_t>(Windings::index(other[0], other[1], other[2]))];

  Wall forward, backward;
  int w = from;
  for (auto hit = hits.begin(); from > 0 && hit != hits.end() && !forward.exists(); ++hit) {
    w += hit->winding;
    if (w <= 0) forward = {hit->distance, hit->triangle};
  }
  w = to;
  for (auto hit = hits.rbegin(); to > 0 && hit != hits.rend() && !backward.exists(); ++hit) {
    w -= hit->winding;
    if (w <= 0) backward = {1 - hit->distance, hit->triangle};
  }
  bool cut = from <= 0 || to <= 0 || forward.exists() || backward.exists();
  if (!near_discs_.empty()) {
    const Vector p = as_vector(moved(origin_, local));
    const Vector q = as_vector(moved(origin_, other));
    for (const auto i : near_discs_) {
      const double above_p = discs_[i].above(p), above_q = discs_[i].above(q);
      cut = cut || ((above_p > 0) != (above_q > 0) && discs_[i].cut(p, above_p, q, above_q));
    }
  }
  const int local_from = from > 0 ? local_site(local) : -1;
  const int local_to = to > 0 ? local_site(other) : -1;
  if (!cut) return join(direction, local_from, local_to);
  // A wall that was found from only one end (the other end lies on it, to rounding) counts for both.
  if (!forward.exists() && backward.exists()) forward = {1 - backward.distance, backward.triangle};
  if (!backward.exists() && forward.exists()) backward = {1 - forward.distance, forward.triangle};
  if (local_from >= 0) cut_at(local, direction, true, forward);
  if (local_to >= 0) cut_at(other, direction, false, backward);
}

void BlockLinks::cut_at(const Position& local, const Direction& direction, bool forward, const Wall& wall) {
  const Position global = moved(origin_, local);
  const Vector p = as_vector(global);
  const Vector q = as_vector(moved(global, direction.step, forward ? 1 : -1));
  double distance = wall.exists() ? wall.distance : 2;
  std::int16_t opening = Cut::wall;
  if (wall.exists() && !near_discs_.empty()) {
    const Vector meeting = p + wall.distance * (q - p);
    const Vector normal = triangles_.normal(wall.triangle);
    for (const auto i : near_discs_) {
      const int caps = discs_[i].caps(meeting, normal);
      if (caps > 0 && discs_[i].above(p) > 0) opening = static_cast<std::int16_t>(i);
      if (caps < 0) ++met_from_behind_[i];
    }
  }
  for (const auto i : near_discs_) {
    const double above_p = discs_[i].above(p), above_q = discs_[i].above(q);
    if ((above_p > 0) == (above_q > 0)) continue;
    const auto fraction = discs_[i].cut(p, above_p, q, above_q);
    if (!fraction || *fraction > distance) continue;
    distance = *fraction;
    opening = above_p > 0 ? static_cast<std::int16_t>(i) : Cut::wall;
    if (above_p <= 0) ++met_from_behind_[i];
  }
  if (distance > 1) distance = 0.5;
  constexpr double least = 1e-6;  // a site on the wall itself still has a link
  const int link = forward ? direction.link : 26 - direction.link;
  cuts_.push_back({static_cast<std::uint16_t>(local_site(local)), static_cast<std::uint8_t>(link), opening,
                   static_cast<float>(std::clamp(distance, least, 1.0))});
}

}  // namespace weft::geometry::detail
