// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// Distance from a point to a surface, m. Visits all triangles.
double distance_to(const Surface& surface, const Vector& point);

/// The approximate winding number of the surface around a point: 1 inside, 0 outside, in between near an open end.
/// Visits all triangles.
double winding_number(const Surface& surface, const Vector& point);

/// Throws InputError if an opening's disc lies outside of the surface, with its distance and the extent of the surface
/// in file units. Also for an open surface; call it before close_surface, which could only report a hole.
void check_discs(const Surface& surface, const std::vector<Opening>& openings, const std::filesystem::path& path,
                 double metres_per_unit);

}  // namespace geometry
}  // namespace weft
