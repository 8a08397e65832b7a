// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/lumen.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "geometry/detail/opening_section.hpp"

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
