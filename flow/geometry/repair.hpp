// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "geometry/surface.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// A kind of error that was repaired.
struct Repair {
  std::string text;  ///< one line: what was wrong, where (in the file's units), and what was done
  Vector place{};    ///< of the first such error
};

constexpr double usual_weld_distance = 1e-6;

/// Repairs what can be repaired in one way only, in this order:
/// - vertices on open edges that are at most `weld_distance` of the surface's size apart become one vertex (patches
/// that
///   were written one by one);
/// - of triangles with the same vertices only one stays;
/// - neighbours of opposite orientation are made to agree; a separate part then faces outwards, or, within another
///   part, as it did relative to that one;
/// - a pinhole is closed: a missing triangle, or a hole with a radius of at most 2 % of the size, most of whose
///   neighbours face as its closure does. Around the open end of a tube they face sideways, however small it is.
/// A surface that is consistent, but inside out as a whole, is not changed. Returns what was done; empty: nothing.
/// `metres_per_unit` is for the texts. Time: as long as close_surface if nothing is wrong.
std::vector<Repair> repair_surface(Surface& surface, double metres_per_unit,
                                   double weld_distance = usual_weld_distance);

/// For each triangle the number of its connected part, in order of appearance.
std::vector<std::uint32_t> parts_of_triangles(const Surface& surface);

}  // namespace geometry
}  // namespace weft
