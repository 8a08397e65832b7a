// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "insitu/drawing.hpp"
#include "openings/find_openings.hpp"

namespace weft::openings {

/// The vessel from three sides, see-through, with its centrelines and each opening's lumen, numbered by size; the inlet
/// in another colour. `unit` is what is written beside lengths. Seconds for 500,000 triangles.
insitu::Image draw_openings(const Surface& surface, const VesselAnalysis& vessel, std::size_t inlet,
                            const std::string& title, const std::string& unit);

}  // namespace weft::openings
