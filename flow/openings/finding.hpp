// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "geometry/surface.hpp"

namespace weft::openings {

/// An error or remark about a surface.
struct Finding {
  enum class Weight : std::uint8_t {
    note,      ///< nothing to do
    repaired,  ///< was wrong
    warning,   ///< check it
    unusable   ///< weft flow refuses the surface
  };
  Weight weight = Weight::note;
  std::string text;          ///< one line: what is wrong, why, what to do, with positions in the surface's units
  geometry::Vector place{};  ///< its position
};

/// A position for a message: "(1.5, -2, 30)".
std::string place_text(const geometry::Vector& place);

/// The first three of some positions: "(1, 2, 3), (4, 5, 6)", with "and elsewhere" if there are more.
std::string places_text(const std::vector<geometry::Vector>& places);

/// Checks the triangles: degenerate ones, edges of more than two, inconsistent normals, an inside-out surface, several
/// parts, intersecting triangles. Reverses triangles where possible, so that the analysis can continue.
std::vector<Finding> look_at_triangles(geometry::Surface& surface);

}  // namespace weft::openings
