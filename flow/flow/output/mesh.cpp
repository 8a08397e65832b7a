// SPDX-License-Identifier: BSD-3-Clause
#include "flow/output/mesh.hpp"

#include <numeric>
#include <unordered_map>

namespace weft::flow {

Mesh voxel_mesh(const geometry::Domain& domain, std::span<const std::uint32_t> sites) {
  constexpr std::size_t corners = 8;
  Mesh mesh{.cell_type = 11, .corners_of_cell = corners};
  mesh.cells.reserve(sites.size() * corners);
  std::unordered_map<std::int64_t, std::uint32_t> numbers;
  numbers.reserve(sites.size() + sites.size() / 2);
  const auto& grid = domain.grid;
  const std::int64_t width = grid.extent[0] + 1, height = grid.extent[1] + 1;
  for (const auto site : sites) {
    const auto& p = domain.sites[site];
    for (std::size_t i = 0; i < corners; ++i) {  // VTK_VOXEL counts its corners in binary, x first
      const geometry::Position corner = {p[0] + static_cast<std::int32_t>(i & 1),
                                         p[1] + static_cast<std::int32_t>(i >> 1 & 1),
                                         p[2] + static_cast<std::int32_t>(i >> 2)};
      const auto key = (corner[2] * height + corner[1]) * width + corner[0];
      const auto [entry, is_new] = numbers.try_emplace(key, static_cast<std::uint32_t>(mesh.corners.size()));
      if (is_new) {
        auto& at = mesh.corners.emplace_back();
        for (std::size_t d = 0; d < 3; ++d) at[d] = static_cast<float>(grid.origin[d] + grid.voxel * (corner[d] - 0.5));
      }
      mesh.cells.push_back(entry->second);
    }
  }
  return mesh;
}

Mesh voxel_mesh(const geometry::Domain& domain) {
  std::vector<std::uint32_t> all(domain.sites.size());
  std::iota(all.begin(), all.end(), 0U);
  return voxel_mesh(domain, all);
}

Mesh vertex_mesh(std::span<const geometry::Vector> points) {
  Mesh mesh{.cell_type = 1, .corners_of_cell = 1};
  for (const auto& p : points) {
    mesh.cells.push_back(static_cast<std::uint32_t>(mesh.corners.size()));
    mesh.corners.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  }
  return mesh;
}

}  // namespace weft::flow
