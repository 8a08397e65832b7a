// SPDX-License-Identifier: BSD-3-Clause
#include "openings/detail/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::openings::detail {

using namespace geometry;  // a Vector's operators

namespace {

using geometry::Surface;
using geometry::Vector;
using Triangle = std::array<std::uint32_t, 3>;

struct Box {
  Vector low, high;

  bool meets(const Box& other) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (low[d] > other.high[d] || other.low[d] > high[d]) return false;
    return true;
  }
};

Box box_of(const Surface& surface, const Triangle& t) {
  Box box{surface.vertices[t[0]], surface.vertices[t[0]]};
  for (std::size_t k = 1; k < 3; ++k)
    for (std::size_t d = 0; d < 3; ++d) {
      box.low[d] = std::min(box.low[d], surface.vertices[t[k]][d]);
      box.high[d] = std::max(box.high[d], surface.vertices[t[k]][d]);
    }
  return box;
}

// Whether the segment from p to q passes through the interior of a triangle. Contact within rounding does not count.
bool goes_through(const Vector& p, const Vector& q, const Vector& a, const Vector& b, const Vector& c) {
  const auto normal = cross(b - a, c - a);
  const double size = length(normal);
  const double tiny = 1e-9 * size * std::sqrt(size);
  const double at_p = dot(normal, p - a), at_q = dot(normal, q - a);
  if (std::abs(at_p) <= tiny || std::abs(at_q) <= tiny || (at_p > 0) == (at_q > 0)) return false;
  const auto meet = p + (at_p / (at_p - at_q)) * (q - p);
  const double least = 1e-9 * size * size;
  return dot(cross(b - a, meet - a), normal) > least && dot(cross(c - b, meet - b), normal) > least &&
         dot(cross(a - c, meet - c), normal) > least;
}

bool crosses(const Surface& surface, const Triangle& one, const Triangle& other) {
  int shared = 0;
  for (const auto v : one) shared += v == other[0] || v == other[1] || v == other[2];
  if (shared >= 2) return false;
  const auto& at = surface.vertices;
  const auto any_edge = [&](const Triangle& of, const Triangle& through) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto p = of[k], q = of[(k + 1) % 3];
      const auto has = [&](std::uint32_t v) { return v == through[0] || v == through[1] || v == through[2]; };
      if (has(p) || has(q)) continue;
      if (goes_through(at[p], at[q], at[through[0]], at[through[1]], at[through[2]])) return true;
    }
    return false;
  };
  return any_edge(one, other) || any_edge(other, one);
}

struct Cells {
  Vector low{};
  double width = 0;
  std::array<std::int64_t, 3> count{};

  template <class Visit>
  void over(const Box& box, Visit&& visit) const {
    std::array<std::int64_t, 3> from{}, to{};
    for (std::size_t d = 0; d < 3; ++d) {
      from[d] = static_cast<std::int64_t>((box.low[d] - low[d]) / width);
      to[d] = static_cast<std::int64_t>((box.high[d] - low[d]) / width);
    }
    for (auto z = from[2]; z <= to[2]; ++z)
      for (auto y = from[1]; y <= to[1]; ++y)
        for (auto x = from[0]; x <= to[0]; ++x) visit((z * count[1] + y) * count[0] + x);
  }
  double number_in(const Box& box) const {
    double n = 1;
    for (std::size_t d = 0; d < 3; ++d)
      n *= std::floor((box.high[d] - low[d]) / width) - std::floor((box.low[d] - low[d]) / width) + 1;
    return n;
  }
};

Cells make_cells(const std::vector<Box>& boxes) {
  Cells cells;
  auto all = boxes.front();
  double mean = 0;
  for (const auto& b : boxes) {
    double widest = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      all.low[d] = std::min(all.low[d], b.low[d]);
      all.high[d] = std::max(all.high[d], b.high[d]);
      widest = std::max(widest, b.high[d] - b.low[d]);
    }
    mean += widest / static_cast<double>(boxes.size());
  }
  cells.low = all.low;
  // Larger cells if some triangles are so long that they would lie in too many.
  for (cells.width = 1.2 * mean;; cells.width *= 1.5) {
    double entries = 0;
    for (const auto& b : boxes) entries += cells.number_in(b);
    if (entries <= 12.0 * static_cast<double>(boxes.size()) + 1000) break;
  }
  for (std::size_t d = 0; d < 3; ++d)
    cells.count[d] = static_cast<std::int64_t>((all.high[d] - all.low[d]) / cells.width) + 1;
  return cells;
}

}  // namespace

std::vector<std::array<std::uint32_t, 2>> crossing_pairs(const Surface& surface, std::size_t most) {
  std::vector<std::array<std::uint32_t, 2>> pairs;
  if (surface.triangles.empty()) return pairs;
  std::vector<Box> boxes;
  boxes.reserve(surface.triangles.size());
  for (const auto& t : surface.triangles) boxes.push_back(box_of(surface, t));
  const auto cells = make_cells(boxes);
  std::vector<std::pair<std::int64_t, std::uint32_t>> entries;
  for (std::uint32_t t = 0; t < boxes.size(); ++t)
    cells.over(boxes[t], [&](std::int64_t cell) { entries.emplace_back(cell, t); });
  std::sort(entries.begin(), entries.end());
  for (std::size_t i = 0; i < entries.size() && pairs.size() < most;) {
    auto end = i;
    while (end < entries.size() && entries[end].first == entries[i].first) ++end;
    for (; i < end; ++i)
      for (auto j = i + 1; j < end; ++j) {
        const auto one = entries[i].second, other = entries[j].second;
        if (boxes[one].meets(boxes[other]) && crosses(surface, surface.triangles[one], surface.triangles[other]))
          pairs.push_back({one, other});
      }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace weft::openings::detail
