// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace weft::geometry {

/// From a point to the nearest place of a surface, m. Walks over all triangles.
double distance_to(const Surface& surface, const Vector& point);

/// About how often the surface goes around a point: 1 inside, 0 outside, between them near an open end. Walks over all
/// triangles.
double winding_number(const Surface& surface, const Vector& point);

/// Throws InputError if an opening's disc lies outside of the surface (in file units: how far, and where the surface
/// is). For a surface that may still be open; before close_surface, which can only say that there is a hole.
void check_discs(const Surface& surface, const std::vector<Opening>& openings, const std::filesystem::path& path,
                 double metres_per_unit);

}  // namespace weft::geometry
