// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/section.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "geometry/detail/crossing.hpp"
#include "geometry/detail/opening_section.hpp"

namespace weft::geometry::detail {

namespace {

// Whether a ring lies partly on the vessel's end, since links to the end belong to the opening (Disc::caps).
bool is_on_cap(const Surface& surface, const Ring& ring, const Vector& normal) {
  constexpr double parallel = 0.9;
  return std::any_of(ring.triangles.begin(), ring.triangles.end(), [&](auto t) {
    const auto& [a, b, c] = surface.triangles[t];
    const auto n = cross(surface.vertices[b] - surface.vertices[a], surface.vertices[c] - surface.vertices[a]);
    return -dot(n, normal) > parallel * length(n);
  });
}

std::optional<OpeningSection> section_in(const Surface& surface, const Plane& plane, double disc_reach) {
  auto rings = cut(surface, plane);
  const Point centre{0, 0};
  Ring* best = nullptr;
  double best_distance = disc_reach;
  for (auto& ring : rings) {
    if (!(area(ring.points) > 0)) continue;
    const double distance = contains(ring.points, centre) ? 0 : distances(ring.points, centre)[0];
    // The smaller of two rings around the centre is the inner one of a vessel within another.
    const bool is_better = best == nullptr ? distance <= best_distance
                                           : distance < best_distance ||
                                                 (distance == best_distance && area(ring.points) < area(best->points));
    if (is_better) best = &ring, best_distance = distance;
  }
  if (best == nullptr) return {};
  OpeningSection found{.plane = plane, .around = std::move(*best)};
  for (auto& ring : rings) {
    if (&ring == best) continue;
    const double size = area(ring.points);
    const bool is_within = contains(found.around.points, ring.points.front());
    if (size > 0 && !is_within && distances(ring.points, centre)[0] < disc_reach) found.others.push_back(size);
    if (size < 0 && is_within) found.within.push_back(std::move(ring));
  }
  return found;
}

}  // namespace

std::optional<OpeningSection> find_section(const Surface& surface, const Opening& opening, double voxel) {
  const auto plane = Plane::through(opening.centre, opening.normal);
  const double reach = (1 + disc_slack) * opening.radius + voxel;
  const double thickness = std::max(voxel, disc_slack * opening.radius);
  std::optional<OpeningSection> widest;
  for (const double depth : {1e-4, 0.02, 0.1, 0.25, 0.5, 0.75, 1.0, 1.25}) {
    auto found = section_in(surface, plane.moved(depth * thickness), reach);
    if (!found) continue;
    if (!is_on_cap(surface, found->around, plane.normal)) return found;
    if (!widest || area(found->around.points) > area(widest->around.points)) widest = std::move(found);
  }
  return widest;
}

}  // namespace weft::geometry::detail

namespace weft::geometry {

std::vector<Lumen> find_lumens(const Surface& surface, const std::vector<Opening>& openings, double voxel) {
  std::vector<Lumen> result;
  for (const auto& opening : openings) {
    auto& lumen = result.emplace_back(Lumen{.plane = Plane::through(opening.centre, opening.normal)});
    auto section = detail::find_section(surface, opening, voxel);
    if (!section) continue;
    lumen.plane = section->plane;
    lumen.others = std::move(section->others);
    lumen.rings.push_back(std::move(section->around.points));
    for (auto& ring : section->within) lumen.rings.push_back(std::move(ring.points));
    for (const auto& ring : lumen.rings) lumen.area += area(ring);
    lumen.reach = distances(lumen.rings.front(), {0, 0})[1];
  }
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
