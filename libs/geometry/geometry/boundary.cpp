// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/boundary.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft::geometry {

namespace {

using Edge = EdgeCheck::Edge;

std::pair<std::uint32_t, std::uint32_t> ends(const Edge& e) { return std::minmax(e.from, e.to); }

// All edges of all triangles, sorted so that edges with the same ends are adjacent.
std::vector<Edge> sorted_edges(const Surface& surface) {
  std::vector<Edge> edges;
  edges.reserve(3 * surface.triangles.size());
  for (std::uint32_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& corner = surface.triangles[t];
    for (std::size_t k = 0; k < 3; ++k) edges.push_back({corner[k], corner[(k + 1) % 3], t});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
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

std::vector<std::vector<Edge>> join_rims(const std::vector<Edge>& open, std::int64_t& touching) {
  auto next = open;
  std::sort(next.begin(), next.end(), [](const Edge& a, const Edge& b) { return a.from < b.from; });
  touching = -1;
  for (std::size_t i = 1; i < next.size(); ++i)
    if (next[i].from == next[i - 1].from) touching = next[i].from;
  std::vector<std::vector<Edge>> rims;
  if (touching >= 0) return rims;
  std::vector<bool> used(next.size(), false);
  for (std::size_t start = 0; start < next.size(); ++start) {
    if (used[start]) continue;
    auto& rim = rims.emplace_back();
    for (std::size_t i = start; !used[i];) {
      used[i] = true;
      rim.push_back(next[i]);
      const auto at = std::lower_bound(next.begin(), next.end(), next[i].to,
                                       [](const Edge& e, std::uint32_t v) { return e.from < v; });
      if (at == next.end() || at->from != next[i].to) {  // impossible: as many open edges enter a vertex as leave it
        touching = next[i].to;
        return {};
      }
      i = static_cast<std::size_t>(at - next.begin());
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

}  // namespace weft::geometry
