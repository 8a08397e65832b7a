// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/boundary.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "geometry/detail/components.hpp"
#include "geometry/detail/inside_grid.hpp"
#include "geometry/detail/opening_section.hpp"

namespace weft::geometry {

namespace {

using Edge = EdgeCheck::Edge;

std::pair<std::uint32_t, std::uint32_t> ends(const Edge& e) { return std::minmax(e.from, e.to); }

// All edges of all triangles, sorted so that edges with the same ends are adjacent.
std::vector<Edge> sorted_edges(const Surface& surface) {
  // First by the lower end, which few edges share; then those few. Some surfaces are triangles of another's vertices.
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max(), largest = 0;
  for (const auto& corner : surface.triangles) {
    const auto [low, high] = std::minmax({corner[0], corner[1], corner[2]});
    least = std::min(least, low);
    largest = std::max(largest, high);
  }
  if (surface.triangles.empty()) return {};
  std::vector<std::size_t> next(std::size_t{largest} - least + 2);
  const auto for_each = [&](const auto& visit) {
    for (std::uint32_t t = 0; t < surface.triangles.size(); ++t) {
      const auto& corner = surface.triangles[t];
      for (std::size_t k = 0; k < 3; ++k) visit(Edge{corner[k], corner[(k + 1) % 3], t});
    }
  };
  for_each([&](const Edge& e) { ++next[ends(e).first - least + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Edge> edges(3 * surface.triangles.size());
  for_each([&](const Edge& e) { edges[next[ends(e).first - least]++] = e; });
  for (std::size_t v = 0, first = 0; v + 1 < next.size(); first = next[v++])
    std::sort(edges.begin() + std::ptrdiff_t(first), edges.begin() + std::ptrdiff_t(next[v]),
              [](const Edge& a, const Edge& b) {
                return std::tuple(ends(a), a.triangle, a.from) < std::tuple(ends(b), b.triangle, b.from);
              });
  return edges;
}

template <class Visit>
void for_each_edge(const std::vector<Edge>& edges, const Visit& visit) {
  for (std::size_t i = 0, j = 0; i < edges.size(); i = j) {
    while (j < edges.size() && ends(edges[j]) == ends(edges[i])) ++j;
    visit(i, j - i);
  }
}

}  // namespace

EdgeCheck check_edges(const Surface& surface) {
  EdgeCheck check;
  const auto edges = sorted_edges(surface);
  for_each_edge(edges, [&](std::size_t i, std::size_t uses) {
    if (uses == 1) check.open.push_back(edges[i]);
    if (uses > 2) check.crowded.push_back(edges[i]);
    if (uses == 2 && edges[i].from == edges[i + 1].from) check.turned.push_back(edges[i]);
  });
  return check;
}

std::vector<std::uint32_t> wrong_triangles(const Surface& surface) {
  struct Neighbour {
    std::uint32_t from, to;
    bool agrees;
  };
  const auto edges = sorted_edges(surface);
  std::vector<Neighbour> neighbours;
  for_each_edge(edges, [&](std::size_t i, std::size_t uses) {
    if (uses != 2) return;
    const bool agrees = edges[i].from != edges[i + 1].from;
    neighbours.push_back({edges[i].triangle, edges[i + 1].triangle, agrees});
    neighbours.push_back({edges[i + 1].triangle, edges[i].triangle, agrees});
  });
  std::sort(neighbours.begin(), neighbours.end(),
            [](const Neighbour& a, const Neighbour& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });

  constexpr std::int8_t unseen = -1;
  std::vector<std::int8_t> side(surface.triangles.size(), unseen);
  std::vector<std::uint32_t> wrong;
  for (std::uint32_t start = 0; start < side.size(); ++start) {
    if (side[start] != unseen) continue;
    std::vector<std::uint32_t> part{start};
    side[start] = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      auto n = std::lower_bound(neighbours.begin(), neighbours.end(), part[i],
                                [](const Neighbour& a, std::uint32_t t) { return a.from < t; });
      for (; n != neighbours.end() && n->from == part[i]; ++n) {
        const auto wanted = static_cast<std::int8_t>(n->agrees ? side[part[i]] : 1 - side[part[i]]);
        if (side[n->to] == unseen) {
          side[n->to] = wanted;
          part.push_back(n->to);
        } else if (side[n->to] != wanted) {
          return {};
        }
      }
    }
    const auto ones = std::count_if(part.begin(), part.end(), [&](std::uint32_t t) { return side[t] == 1; });
    const std::int8_t fewer = 2 * static_cast<std::size_t>(ones) <= part.size() ? 1 : 0;
    for (const auto t : part)
      if (side[t] == fewer) wrong.push_back(t);
  }
  std::sort(wrong.begin(), wrong.end());
  return wrong;
}

std::vector<std::vector<Edge>> join_rims(const std::vector<Edge>& open) {
  auto next = open;
  std::sort(next.begin(), next.end(), [](const Edge& a, const Edge& b) { return a.from < b.from; });
  std::vector<bool> used(next.size(), false);
  const auto leaving = [&](std::uint32_t vertex) {
    auto i = static_cast<std::size_t>(
        std::lower_bound(next.begin(), next.end(), vertex, [](const Edge& e, std::uint32_t v) { return e.from < v; }) -
        next.begin());
    while (i < next.size() && next[i].from == vertex && used[i]) ++i;
    return i < next.size() && next[i].from == vertex ? i : next.size();
  };
  std::vector<std::vector<Edge>> rims;
  std::vector<Edge> way;
  std::unordered_map<std::uint32_t, std::size_t> on_way;  // where an edge leaves a vertex
  for (std::size_t start = 0; start < next.size(); ++start) {
    way.clear();
    on_way.clear();
    for (std::size_t i = used[start] ? next.size() : start; i < next.size();) {
      used[i] = true;
      on_way[next[i].from] = way.size();
      way.push_back(next[i]);
      const auto to = next[i].to;
      // Where the way comes back to a vertex, it has gone round a rim. What was before belongs to another rim.
      if (const auto at = on_way.find(to); at != on_way.end()) {
        const auto first = way.begin() + static_cast<std::ptrdiff_t>(at->second);
        rims.emplace_back(first, way.end());
        for (auto e = first; e != way.end(); ++e) on_way.erase(e->from);
        way.erase(first, way.end());
        if (way.empty()) break;
      }
      i = leaving(to);
    }
  }
  return rims;
}

double signed_volume(const Surface& surface) {
  if (surface.vertices.empty()) return 0;
  const Vector base = surface.vertices.front();
  double six_volumes = 0;
  for (const auto& t : surface.triangles) {
    const auto corner = [&](std::size_t k) { return surface.vertices[t[k]] - base; };
    six_volumes += dot(corner(0), cross(corner(1), corner(2)));
  }
  return six_volumes / 6;
}

std::vector<int> parts_of_openings(const Surface& closed, const std::vector<Opening>& openings, double voxel) {
  constexpr double voxels = 60'000;
  detail::DisjointSets vertices(closed.vertices.size());
  for (const auto& t : closed.triangles)
    for (std::size_t k = 1; k < 3; ++k) vertices.join(t[0], t[k]);

  detail::DisjointSets joined(openings.size());
  std::map<std::uint32_t, std::uint32_t> by_surface;  // piece: the first opening there
  std::vector<std::optional<Vector>> places;          // points slightly inside the lumens
  for (std::uint32_t k = 0; k < openings.size(); ++k) {
    const auto section = detail::find_section(closed, openings[k], voxel);
    auto& place = places.emplace_back();
    if (!section) continue;
    const auto piece = vertices.find(closed.triangles[section->around.triangles.front()][0]);
    joined.join(by_surface.try_emplace(piece, k).first->second, k);
    place = section->plane.at(centroid(section->around.points)) + voxel * openings[k].normal;
  }
  if (by_surface.size() > 1) {  // pieces may overlap or contain one another
    const auto grid = detail::fill_inside(closed, voxels);
    std::map<std::int32_t, std::uint32_t> by_voxels;
    for (std::uint32_t k = 0; k < openings.size() && !grid.inside.empty(); ++k) {
      if (!places[k]) continue;
      const auto nearest = grid.nearest(*places[k]);
      if (length(grid.centre(nearest) - *places[k]) > openings[k].radius + 2 * grid.grid.voxel) continue;
      joined.join(by_voxels.try_emplace(grid.part[static_cast<std::size_t>(nearest)], k).first->second, k);
    }
  }
  std::map<std::uint32_t, int> number;
  std::vector<int> parts;
  for (std::uint32_t k = 0; k < openings.size(); ++k)
    parts.push_back(number.try_emplace(joined.find(k), static_cast<int>(number.size())).first->second);
  return parts;
}

}  // namespace weft::geometry
