// SPDX-License-Identifier: BSD-3-Clause
#include "openings/detail/candidates.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "geometry/boundary.hpp"

namespace weft::openings::detail {

using namespace geometry;  // a Vector's operators

namespace {

constexpr double behind = 0.5;  // radii behind an end, where the lumen is compared with the end
constexpr double least_match = 0.4, most_match = 2.2;
constexpr double least_depth = 1.9;        // radii behind a flat cap to the opposite wall; of a cube 1.77
constexpr std::size_t fewest_corners = 6;  // of a cap that is narrower than a voxel

// From a point along a direction to the nearest wall. Visits all triangles.
double way_to_wall(const Surface& closed, const Vector& from, const Vector& direction) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& t : closed.triangles) {
    const auto& a = closed.vertices[t[0]];
    const auto b = closed.vertices[t[1]] - a, c = closed.vertices[t[2]] - a, p = from - a;
    const auto across = cross(direction, c);
    const double turn = dot(b, across);
    if (turn == 0) continue;
    const double u = dot(p, across) / turn;
    const auto q = cross(p, b);
    const double v = dot(direction, q) / turn, s = dot(c, q) / turn;
    if (u >= 0 && v >= 0 && u + v <= 1 && s > 0) least = std::min(least, s);
  }
  return least;
}

bool touch(const VesselOpening& a, const VesselOpening& b) {
  return std::any_of(a.contour.begin(), a.contour.end(), [&](const Vector& p) {
    return std::find(b.contour.begin(), b.contour.end(), p) != b.contour.end();
  });
}

// The connected piece of each vertex of a patch, as one of its vertices.
std::map<std::uint32_t, std::uint32_t> pieces_of(const Surface& patch) {
  std::map<std::uint32_t, std::uint32_t> up;
  const auto root = [&](std::uint32_t v) {
    up.try_emplace(v, v);
    while (up[v] != v) v = up[v] = up[up[v]];
    return v;
  };
  for (const auto& t : patch.triangles)
    for (const auto corner : t) up[root(corner)] = root(t[0]);
  for (auto& [v, above] : up) above = root(v);
  return up;
}

// As names in a case may be.
std::string plain_name(std::string name) {
  for (auto& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  return name.substr(0, 40);
}

}  // namespace

bool ends_a_tube(const Surface& closed, const VesselOpening& o) {
  if (!(o.area > 0) || o.roundness < least_roundness) return false;
  const auto lumen = lumen_around(closed, o.centre + behind * o.radius * o.normal, o.normal);
  if (!lumen) return false;
  const double ratio = lumen->area / o.area;
  return ratio > least_match && ratio < most_match && length(lumen->centre - o.centre) < 1.5 * o.radius;
}

std::vector<VesselOpening> caps_of(const Surface& as_read, const Surface& closed, double voxel) {
  std::vector<std::pair<double, VesselOpening>> found;  // with its depth in radii
  for (auto& region : flat_regions(as_read)) {
    if (region.contour.size() < fewest_corners && region.radius < voxel) continue;  // a facet of the wall
    if (!ends_a_tube(closed, region)) continue;
    const double skip = 0.1 * region.radius;  // a flat region may be a shallow cone
    const double depth = way_to_wall(closed, region.centre + skip * region.normal, region.normal) / region.radius + 0.1;
    if (depth > least_depth) found.emplace_back(depth, std::move(region));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<VesselOpening> caps;
  for (auto& [depth, region] : found)
    if (std::none_of(caps.begin(), caps.end(), [&, &r = region](const VesselOpening& cap) { return touch(cap, r); }))
      caps.push_back(std::move(region));
  return caps;
}

std::vector<VesselOpening> named_ends(const Surface& as_read, const Surface& closed) {
  std::vector<Surface> patches(as_read.solids.size());
  for (std::size_t t = 0; t < as_read.solid_of.size(); ++t)
    patches[as_read.solid_of[t]].triangles.push_back(as_read.triangles[t]);
  std::vector<VesselOpening> ends;
  std::map<std::string, int> count;
  for (std::size_t k = 0; k < patches.size(); ++k) {
    const auto name = plain_name(as_read.solids[k]);
    const auto rims = geometry::join_rims(geometry::check_edges(patches[k]).open);
    if (name.empty()) continue;
    const auto piece = pieces_of(patches[k]);
    std::map<std::uint32_t, int> rims_of;
    for (const auto& rim : rims) ++rims_of[piece.at(rim.front().from)];
    for (const auto& rim : rims) {
      if (rims_of[piece.at(rim.front().from)] != 1) continue;  // a wall
      std::vector<Vector> outline;
      for (const auto& e : rim) outline.push_back(as_read.vertices[e.from]);
      auto end = from_outline(VesselOpening::Kind::cap, std::move(outline));
      if (!ends_a_tube(closed, end)) continue;
      end.name = name;
      ++count[name];
      ends.push_back(std::move(end));
    }
  }
  std::map<std::string, int> number;
  for (auto& end : ends)
    if (count[end.name] > 1) end.name += '_' + std::to_string(++number[end.name]);
  return ends;
}

}  // namespace weft::openings::detail
