// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/domain.hpp"

namespace weft::flow {

/// The cells of one rank, all of one VTK type, and their shared corners.
struct Mesh {
  std::uint8_t cell_type = 0;  ///< VTK's number of the type
  std::size_t corners_of_cell = 0;
  std::vector<std::array<float, 3>> corners{};  ///< m
  std::vector<std::uint32_t> cells{};           ///< the corners of each cell

  std::size_t cell_count() const { return cells.size() / corners_of_cell; }
};

/// A VTK_VOXEL around each of these sites (indices in Domain::sites). About 45 bytes per site.
Mesh voxel_mesh(const geometry::Domain& domain, std::span<const std::uint32_t> sites);
/// The same around all sites.
Mesh voxel_mesh(const geometry::Domain& domain);
/// A VTK_VERTEX at each point.
Mesh vertex_mesh(std::span<const geometry::Vector> points);

}  // namespace weft::flow
