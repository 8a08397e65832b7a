// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "geometry/domain.hpp"

namespace weft::geometry {

/// A triangulated surface in metres, vertices shared between triangles, normals outwards (counter-clockwise from outside).
struct Surface {
  std::vector<Vector> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// Reads an STL file, ASCII or binary (told apart by its size, not by its first word), and merges equal vertices.
/// `metres_per_unit` is the length of one unit of the file. Throws InputError naming the file and the line or byte.
Surface read_stl(const std::filesystem::path& path, double metres_per_unit);

/// Checks that the surface is closed, manifold and oriented outwards.
/// Holes whose rim lies on the disc of an opening are capped; a surface that is inside out as a whole is turned.
/// Anything else throws InputError: how many edges are open or wrong, and where the first lies (in file units).
/// Returns the number of holes capped.
int close_surface(Surface& surface, const std::vector<Opening>& openings, const std::filesystem::path& path,
                  double metres_per_unit);

}  // namespace weft::geometry
