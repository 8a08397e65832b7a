// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/section.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::geometry {

namespace {

/// The segment in which a plane cuts a triangle: from the edge that leads down through the plane to the edge that leads
/// up. Seen from above the plane, the inside of the surface is to the left.
struct Trace {
  std::array<std::uint32_t, 2> from, to;  // edges: vertex below, vertex above
  std::uint32_t triangle;
};

std::vector<Trace> traces_of(const Surface& surface, const std::vector<bool>& is_above) {
  std::vector<Trace> traces;
  for (std::uint32_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& corner = surface.triangles[t];
    Trace trace{{}, {}, t};
    int crossings = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = corner[k], b = corner[(k + 1) % 3];
      if (is_above[a] == is_above[b]) continue;
      ++crossings;
      if (is_above[a])
        trace.from = {b, a};
      else
        trace.to = {a, b};
    }
    if (crossings == 2) traces.push_back(trace);
  }
  return traces;
}

}  // namespace

Plane Plane::through(const Vector& origin, const Vector& normal) {
  const auto n = normalised(normal);
  // The axis with the smallest component of the normal, so that nearly equal planes have nearly equal axes.
  std::size_t least = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (std::abs(n[k]) < std::abs(n[least]) - 1e-9) least = k;
  Vector axis{};
  axis[least] = 1;
  const auto u = normalised(cross(axis, n));
  return {origin, u, cross(n, u), n};
}

std::vector<Ring> cut(const Surface& surface, const Plane& plane) {
  std::vector<bool> is_above(surface.vertices.size());
  for (std::size_t i = 0; i < is_above.size(); ++i) is_above[i] = plane.above(surface.vertices[i]) > 0;
  auto traces = traces_of(surface, is_above);
  std::sort(traces.begin(), traces.end(), [](const Trace& a, const Trace& b) { return a.from < b.from; });
  const auto meeting = [&](const std::array<std::uint32_t, 2>& edge) {
    const auto &low = surface.vertices[edge[0]], &high = surface.vertices[edge[1]];
    const double below = -plane.above(low), above = plane.above(high);
    return plane.flat(low + (below / (below + above)) * (high - low));
  };
  std::vector<Ring> rings;
  std::vector<bool> used(traces.size(), false);
  for (std::size_t start = 0; start < traces.size(); ++start) {
    if (used[start]) continue;
    Ring ring;
    for (auto i = start; !used[i];) {
      used[i] = true;
      ring.points.push_back(meeting(traces[i].from));
      ring.edges.push_back(traces[i].from);
      ring.triangles.push_back(traces[i].triangle);
      const auto next =
          std::lower_bound(traces.begin(), traces.end(), traces[i].to,
                           [](const Trace& t, const std::array<std::uint32_t, 2>& edge) { return t.from < edge; });
      if (next == traces.end() || next->from != traces[i].to) break;  // the surface is not closed there
      i = static_cast<std::size_t>(next - traces.begin());
    }
    if (ring.points.size() >= 3) rings.push_back(std::move(ring));
  }
  return rings;
}

double area(const Polygon& polygon) {
  double twice = 0;
  const auto& base = polygon.front();
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k) {
    const auto &a = polygon[k], &b = polygon[k + 1];
    twice += (a[0] - base[0]) * (b[1] - base[1]) - (a[1] - base[1]) * (b[0] - base[0]);
  }
  return twice / 2;
}

Point centroid(const Polygon& polygon) {
  double twice = 0;
  Point sum{};
  const auto& base = polygon.front();
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k) {
    const Point a{polygon[k][0] - base[0], polygon[k][1] - base[1]},
        b{polygon[k + 1][0] - base[0], polygon[k + 1][1] - base[1]};
    const double part = a[0] * b[1] - a[1] * b[0];
    twice += part;
    for (std::size_t d = 0; d < 2; ++d) sum[d] += part * (a[d] + b[d]) / 3;
  }
  return {base[0] + sum[0] / twice, base[1] + sum[1] / twice};
}

bool contains(const Polygon& polygon, const Point& p) {
  bool inside = false;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const auto &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
    if ((a[1] <= p[1]) == (b[1] <= p[1])) continue;
    if (p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) inside = !inside;
  }
  return inside;
}

std::array<double, 2> distances(const Polygon& polygon, const Point& p) {
  double nearest = std::numeric_limits<double>::infinity(), farthest = 0;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const auto &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
    const Point way{b[0] - a[0], b[1] - a[1]}, from{p[0] - a[0], p[1] - a[1]};
    const double square = way[0] * way[0] + way[1] * way[1];
    const double s = square > 0 ? std::clamp((from[0] * way[0] + from[1] * way[1]) / square, 0.0, 1.0) : 0;
    nearest = std::min(nearest, std::hypot(from[0] - s * way[0], from[1] - s * way[1]));
    farthest = std::max(farthest, std::hypot(from[0], from[1]));
  }
  return {nearest, farthest};
}

}  // namespace weft::geometry
