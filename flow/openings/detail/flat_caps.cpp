// SPDX-License-Identifier: BSD-3-Clause
#include "openings/detail/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>
#include <utility>

#include "geometry/boundary.hpp"
#include "geometry/section.hpp"

namespace weft::openings::detail {

using namespace geometry;  // a Vector's operators

namespace {

const double flat = std::cos(4 * std::numbers::pi / 180);    // normals within a cap
const double sharp = std::cos(35 * std::numbers::pi / 180);  // between a cap and the wall
constexpr double sharp_share = 0.9;                          // of a cap's rim

struct Edge {
  std::uint32_t low, high, triangle;
  bool operator<(const Edge& other) const {
    return std::tie(low, high, triangle) < std::tie(other.low, other.high, other.triangle);
  }
};

}  // namespace

Neighbours neighbours_of(const Surface& surface) {
  std::vector<std::pair<Edge, std::uint32_t>> edges;
  edges.reserve(3 * surface.triangles.size());
  for (std::uint32_t t = 0; t < surface.triangles.size(); ++t)
    for (std::uint32_t k = 0; k < 3; ++k) {
      const auto a = surface.triangles[t][k], b = surface.triangles[t][(k + 1) % 3];
      edges.push_back({{std::min(a, b), std::max(a, b), t}, k});
    }
  std::sort(edges.begin(), edges.end());
  Neighbours all(surface.triangles.size(), {no_neighbour, no_neighbour, no_neighbour});
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const auto &e = edges[i].first, &f = edges[i + 1].first;
    if (e.low != f.low || e.high != f.high) continue;
    all[e.triangle][edges[i].second] = f.triangle;
    all[f.triangle][edges[i + 1].second] = e.triangle;
  }
  return all;
}

VesselOpening from_outline(VesselOpening::Kind kind, std::vector<Vector> outline) {
  VesselOpening o;
  o.kind = kind;
  Vector middle{}, twice{};
  for (const auto& p : outline) middle = middle + (1.0 / static_cast<double>(outline.size())) * p;
  double around = 0;
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const auto &a = outline[k], &b = outline[(k + 1) % outline.size()];
    twice = twice + cross(a - middle, b - middle);
    around += length(b - a);
  }
  const double size = length(twice);
  if (!(size > 0)) return o;
  o.normal = (-1 / size) * twice;
  const auto plane = geometry::Plane::through(middle, (1 / size) * twice);
  geometry::Polygon polygon;
  for (const auto& p : outline) polygon.push_back(plane.flat(p));
  o.area = geometry::area(polygon);
  o.radius = std::sqrt(o.area / std::numbers::pi);
  const auto centre = geometry::centroid(polygon);
  o.centre = plane.at(centre);
  o.roundness = std::min(1.0, 4 * std::numbers::pi * o.area / (around * around));
  o.disc_radius = 1.05 * geometry::distances(polygon, centre)[1];
  // Moments of the outline, segment by segment: sxx, syy, sxy.
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const auto &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
    const double ax = a[0] - centre[0], ay = a[1] - centre[1], bx = b[0] - centre[0], by = b[1] - centre[1];
    const double part = ax * by - ay * bx;
    xx += part * (ax * ax + ax * bx + bx * bx);
    yy += part * (ay * ay + ay * by + by * by);
    xy += part * (2 * ax * ay + ax * by + bx * ay + 2 * bx * by) / 2;
  }
  const double mean = (xx + yy) / 2, spread = std::hypot((xx - yy) / 2, xy);
  o.aspect = mean > 0 ? std::sqrt(std::max(0.0, mean - spread) / (mean + spread)) : 1;
  o.contour = std::move(outline);
  return o;
}

std::vector<VesselOpening> flat_regions(const Surface& surface) {
  const auto neighbours = neighbours_of(surface);
  std::vector<Vector> normal(surface.triangles.size());  // not of unit length
  for (std::size_t t = 0; t < normal.size(); ++t) {
    const auto& c = surface.triangles[t];
    normal[t] = cross(surface.vertices[c[1]] - surface.vertices[c[0]], surface.vertices[c[2]] - surface.vertices[c[0]]);
  }
  const auto cosine = [&](std::size_t a, std::size_t b) {
    const double size = length(normal[a]) * length(normal[b]);
    return size > 0 ? dot(normal[a], normal[b]) / size : 1;
  };
  std::vector<std::uint32_t> order(normal.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return dot(normal[a], normal[a]) > dot(normal[b], normal[b]);
  });
  std::vector<std::int64_t> region(normal.size(), -1);
  std::vector<VesselOpening> found;
  std::vector<std::uint32_t> members;
  for (const auto seed : order) {
    if (region[seed] >= 0 || length(normal[seed]) == 0) continue;
    members.assign(1, seed);
    region[seed] = seed;
    for (std::size_t i = 0; i < members.size(); ++i)
      for (const auto n : neighbours[members[i]])
        if (n != no_neighbour && region[n] < 0 && cosine(seed, n) > flat) region[n] = seed, members.push_back(n);
    std::vector<geometry::EdgeCheck::Edge> rim;
    double around = 0, sharp_length = 0;
    for (const auto t : members)
      for (std::uint32_t k = 0; k < 3; ++k) {
        const auto n = neighbours[t][k];
        if (n != no_neighbour && region[n] == seed) continue;
        const auto a = surface.triangles[t][k], b = surface.triangles[t][(k + 1) % 3];
        rim.push_back({a, b, t});
        const double l = length(surface.vertices[b] - surface.vertices[a]);
        around += l;
        if (n != no_neighbour && cosine(seed, n) < sharp) sharp_length += l;
      }
    if (rim.size() < 3 || sharp_length < sharp_share * around) continue;
    const auto rims = geometry::join_rims(rim);
    if (rims.size() != 1) continue;
    std::vector<Vector> outline;
    for (const auto& e : rims.front()) outline.push_back(surface.vertices[e.from]);
    found.push_back(from_outline(VesselOpening::Kind::cap, std::move(outline)));
  }
  return found;
}

}  // namespace weft::openings::detail
