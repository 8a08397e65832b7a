// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/section.hpp"

namespace weft::geometry::detail {

/// The section of a closed surface at an opening.
struct OpeningSection {
  Plane plane;
  Ring around;                   ///< of the lumen at the disc
  std::vector<Ring> within{};    ///< of obstacles within the lumen
  std::vector<double> others{};  ///< m^2, of further lumens that the disc cuts
};

/// See find_lumens. Nothing if there is no lumen near the disc.
std::optional<OpeningSection> find_section(const Surface& surface, const Opening& opening, double voxel);

}  // namespace weft::geometry::detail
