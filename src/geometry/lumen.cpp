// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/lumen.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "geometry/detail/disc.hpp"

namespace weft::geometry {

namespace {

// Whether a ring lies in part on the vessel's end, as links to the end belong to the opening (Disc::caps).
bool is_on_cap(const Surface& surface, const Ring& ring, const Vector& normal) {
  constexpr double parallel = 0.9;
  return std::any_of(ring.triangles.begin(), ring.triangles.end(), [&](auto t) {
    const auto& [a, b, c] = surface.triangles[t];
    const auto n = cross(surface.vertices[b] - surface.vertices[a], surface.vertices[c] - surface.vertices[a]);
    return -dot(n, normal) > parallel * length(n);
  });
}

struct Found {
  Lumen lumen;
  bool on_cap = false;
};

std::optional<Found> lumen_in(const Surface& surface, const Plane& plane, double disc_reach) {
  const auto rings = cut(surface, plane);
  const Point centre{0, 0};
  const Ring* best = nullptr;
  double best_distance = disc_reach;
  for (const auto& ring : rings) {
    if (!(area(ring.points) > 0)) continue;
    const double distance = contains(ring.points, centre) ? 0 : distances(ring.points, centre)[0];
    // The smaller of two around the centre is the inner one of a vessel within another.
    const bool is_better = best == nullptr ? distance <= best_distance
                                           : distance < best_distance || (distance == best_distance && area(ring.points) < area(best->points));
    if (is_better) best = &ring, best_distance = distance;
  }
  if (best == nullptr) return {};
  Found found{{.plane = plane, .rings = {best->points}}, is_on_cap(surface, *best, plane.normal)};
  auto& lumen = found.lumen;
  lumen.reach = distances(best->points, centre)[1];
  for (const auto& ring : rings) {
    if (&ring == best) continue;
    const double size = area(ring.points);
    if (size < 0 && contains(best->points, ring.points.front())) lumen.rings.push_back(ring.points);
    if (size > 0 && !contains(best->points, ring.points.front()) && distances(ring.points, centre)[0] < disc_reach)
      lumen.others.push_back(size);
  }
  for (const auto& ring : lumen.rings) lumen.area += area(ring);
  return found;
}

Lumen find_lumen(const Surface& surface, const Opening& opening, double voxel) {
  const auto plane = Plane::through(opening.centre, opening.normal);
  const double reach = (1 + detail::disc_slack) * opening.radius + voxel;
  const double thickness = std::max(voxel, detail::disc_slack * opening.radius);
  Lumen widest{.plane = plane};
  for (const double depth : {1e-4, 0.02, 0.1, 0.25, 0.5, 0.75, 1.0, 1.25}) {
    auto found = lumen_in(surface, plane.moved(depth * thickness), reach);
    if (!found) continue;
    if (!found->on_cap) return std::move(found->lumen);
    if (found->lumen.area > widest.area) widest = std::move(found->lumen);
  }
  return widest;
}

}  // namespace

std::vector<Lumen> find_lumens(const Surface& surface, const std::vector<Opening>& openings, double voxel) {
  std::vector<Lumen> result;
  for (const auto& opening : openings) result.push_back(find_lumen(surface, opening, voxel));
  return result;
}

Lumen round_lumen(const Opening& opening) {
  constexpr int corners = 256;
  Lumen lumen{.plane = Plane::through(opening.centre, opening.normal), .reach = opening.radius};
  auto& ring = lumen.rings.emplace_back();
  for (int k = 0; k < corners; ++k) {
    const double angle = 2 * std::numbers::pi * k / corners;
    ring.push_back({opening.radius * std::cos(angle), opening.radius * std::sin(angle)});
  }
  lumen.area = std::numbers::pi * opening.radius * opening.radius;
  return lumen;
}

}  // namespace weft::geometry
