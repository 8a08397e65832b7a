// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/parts.hpp"

#include <map>
#include <optional>

#include "geometry/detail/components.hpp"
#include "geometry/detail/inside_grid.hpp"
#include "geometry/detail/opening_section.hpp"

namespace weft::geometry {

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
