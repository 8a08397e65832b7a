// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/domain.hpp"

namespace weft::flow {

/// Cells of one kind and the corners they share, as VTK has them; of one rank.
struct Mesh {
  std::uint8_t cell_type = 0;  ///< VTK's number
  std::size_t corners_of_cell = 0;
  std::vector<std::array<float, 3>> corners{};  ///< m
  std::vector<std::uint32_t> cells{};           ///< the corners of each cell

  std::size_t cell_count() const { return cells.size() / corners_of_cell; }
};

/// A VTK_VOXEL around each of these places in Domain::sites. About 45 bytes a site.
Mesh voxel_mesh(const geometry::Domain& domain, std::span<const std::uint32_t> sites);
/// The same around all.
Mesh voxel_mesh(const geometry::Domain& domain);
/// A VTK_VERTEX at each point.
Mesh vertex_mesh(std::span<const geometry::Vector> points);

}  // namespace weft::flow
