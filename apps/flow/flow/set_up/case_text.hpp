// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "flow/set_up/choices.hpp"
#include "geometry/vector.hpp"

namespace weft::flow {

/// Where a vessel may be cut, in the unit of its surface.
struct FoundOpening {
  std::string what;                         ///< "hole", "cap", "blind end"
  geometry::Vector centre{}, normal{};      ///< the normal of unit length, into the vessel
  double area = 0, radius = 0;              ///< of the lumen there; of the circle of that area
  double disc_radius = 0;                   ///< of a disc that cuts all of the lumen and no other one
  std::vector<geometry::Vector> contour{};  ///< the lumen's outline
  bool must_be_used = false;                ///< the surface has a hole there: it can't be a wall
};

/// The case that the choices come to, commented, for a person to go on with. `surface` is as the case names it. Pure.
/// `narrowest`: the diameter of its narrowest lumen.
std::string case_text(const Choices& choices, std::span<const FoundOpening> found, const std::filesystem::path& surface,
                      double narrowest);

/// Distance of two sites, in the unit of the surface: so many over the narrowest lumen, within the vessel or of an
/// opening that is used.
double voxel_of(const Choices& choices, std::span<const FoundOpening> found, double narrowest);

}  // namespace weft::flow
