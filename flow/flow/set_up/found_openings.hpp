// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flow/set_up/case_text.hpp"
#include "flow/set_up/choices.hpp"
#include "geometry/surface.hpp"
#include "geometry/units.hpp"

namespace weft::flow {

/// A surface and its possible openings. Lengths are in the unit of its file.
struct FoundVessel {
  geometry::Surface surface;
  std::vector<FoundOpening> openings;
  std::vector<std::string> problems;  ///< one sentence each, with the position
  geometry::VesselSize size;
  double volume = 0;     ///< enclosed, with open ends closed
  double narrowest = 0;  ///< diameter of the narrowest lumen between openings
  Choices proposal;
};

/// Reads a surface and finds its possible openings. Throws InputError if it can't be read.
FoundVessel find_vessel(const std::filesystem::path& file);

/// A surface in the page's binary format, little-endian: number of vertices and of triangles (4 bytes each), each
/// vertex (3 floats, in metres times `per_metre`), each triangle (3 times 4 bytes).
std::string surface_bytes(const geometry::Surface& surface, double per_metre);

}  // namespace weft::flow
