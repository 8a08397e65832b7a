// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "geometry/domain.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// A triangulated surface in metres, vertices shared between triangles, normals outwards (counter-clockwise from
/// outside).
struct Surface {
  std::vector<Vector> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::size_t dropped_triangles = 0;      ///< dropped triangles of the file, of which two vertices coincide
  std::vector<std::string> solids{};      ///< the names of an ASCII STL file's solids; empty: less than two
  std::vector<std::uint32_t> solid_of{};  ///< for each triangle, if there are solids; one that was added has none
  std::size_t trailing_bytes = 0;         ///< ignored bytes after the last triangle of a binary STL file
};

/// Checks that the surface is closed, manifold and oriented outwards: every edge is used exactly twice, in opposite
/// directions. Holes whose rim lies on the disc of an opening (within 5 % of its radius) are capped by a fan around the
/// rim's centroid; a surface that is inside out is reversed. Throws InputError in all other cases, with the number of
/// open or wrong edges and the position of the first (in file units). `path` is for messages only. Returns the number
/// of capped holes.
int close_surface(Surface& surface, const std::vector<Opening>& openings, const std::filesystem::path& path,
                  double metres_per_unit);

/// The volume enclosed by a closed surface, m^3: the sum of its triangles' tetrahedra. Approximate for an open surface.
double volume_of(const Surface& surface);

}  // namespace geometry
}  // namespace weft
