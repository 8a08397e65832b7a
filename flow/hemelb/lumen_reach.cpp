// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/import.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace weft::hemelb {

namespace {

using geometry::dot, geometry::length, geometry::operator*, geometry::operator+, geometry::operator-;
using geometry::Vector;
using SurfaceEdge = std::pair<std::uint32_t, std::uint32_t>;

/// The segment in which the plane cuts a triangle: from one of its edges to another.
struct CutPiece {
  std::size_t from = 0, to = 0;  // points
};

struct PlaneCut {
  std::vector<Vector> points;  // one per edge of the surface, relative to the centre
  std::vector<CutPiece> pieces;
};

PlaneCut cut_by_plane(const geometry::Surface& surface, const Vector& centre, const Vector& normal) {
  PlaneCut result;
  std::map<SurfaceEdge, std::size_t> known;
  const auto height = [&](std::uint32_t v) { return dot(surface.vertices[v] - centre, normal); };
  const auto point_on = [&](std::uint32_t low, std::uint32_t high) {
    const auto [entry, is_new] = known.emplace(SurfaceEdge{low, high}, result.points.size());
    if (is_new) {
      const double below = height(low), above = height(high);
      const auto &a = surface.vertices[low], &b = surface.vertices[high];
      result.points.push_back(a + (below / (below - above)) * (b - a) - centre);
    }
    return entry->second;
  };
  for (const auto& triangle : surface.triangles) {
    std::vector<std::size_t> ends;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = triangle[k], b = triangle[(k + 1) % 3];
      const bool a_is_above = height(a) > 0, b_is_above = height(b) > 0;
      if (a_is_above != b_is_above) ends.push_back(a_is_above ? point_on(b, a) : point_on(a, b));
    }
    if (ends.size() == 2) result.pieces.push_back({ends[0], ends[1]});
  }
  return result;
}

/// Distance from the origin to the segment from a to b.
double distance_to_way(const Vector& a, const Vector& b) {
  const auto way = b - a;
  const double square = dot(way, way);
  const double t = square > 0 ? std::clamp(-dot(a, way) / square, 0.0, 1.0) : 0;
  return length(a + t * way);
}

}  // namespace

double lumen_reach(const geometry::Surface& surface, const Vector& centre, const Vector& normal) {
  const auto cut = cut_by_plane(surface, centre, normal);
  if (cut.pieces.empty()) return 0;
  std::vector<std::size_t> curve(cut.points.size());  // of each point: a representative of its curve
  std::iota(curve.begin(), curve.end(), std::size_t{0});
  const auto find = [&](std::size_t p) {
    while (curve[p] != p) p = curve[p] = curve[curve[p]];
    return p;
  };
  const CutPiece* nearest = nullptr;
  double least = HUGE_VAL;
  for (const auto& piece : cut.pieces) {
    curve[find(piece.from)] = find(piece.to);
    const double d = distance_to_way(cut.points[piece.from], cut.points[piece.to]);
    if (d < least) {
      least = d;
      nearest = &piece;
    }
  }
  double reach = 0;
  for (std::size_t p = 0; nearest != nullptr && p < cut.points.size(); ++p)
    if (find(p) == find(nearest->from)) reach = std::max(reach, length(cut.points[p]));
  return reach;
}

}  // namespace weft::hemelb
