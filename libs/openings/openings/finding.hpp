// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "geometry/surface.hpp"

namespace weft::openings {

/// Something about a surface that its user should know.
struct Finding {
  enum class Weight : std::uint8_t {
    note,     ///< nothing to do
    warning,  ///< look at it
    unusable  ///< weft flow does not take the surface
  };
  Weight weight = Weight::note;
  std::string text;          ///< a line: what, why, what to do, with places in the surface's own lengths
  geometry::Vector place{};  ///< where to look
};

/// A place for a message: "(1.5, -2, 30)".
std::string place_text(const geometry::Vector& place);

/// What is wrong with the triangles: degenerate ones, edges of more than two, normals that disagree, an inside-out
/// surface, several parts, triangles that cross each other. Turns what can be turned, so that the surface can be looked
/// at further.
std::vector<Finding> look_at_triangles(geometry::Surface& surface);

}  // namespace weft::openings
