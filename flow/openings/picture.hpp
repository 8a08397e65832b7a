// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "insitu/drawing.hpp"
#include "openings/find_openings.hpp"

namespace weft::openings {

/// The vessel from three sides, translucent, with its centrelines and each opening's lumen, numbered by size; inlets
/// and closed openings have other colours. `unit` is the label of lengths. Takes seconds for 500,000 triangles.
insitu::Image draw_openings(const Surface& surface, const VesselAnalysis& vessel, const std::vector<Role>& roles,
                            const std::string& title, const std::string& unit);

}  // namespace weft::openings
