// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "openings/find_openings.hpp"

namespace weft::openings {

/// The likely unit of a file, by the size of the openings and of the vessel.
struct UnitGuess {
  std::string unit;  ///< "mm", "cm", "m" or "um"; empty if none is likely
  double metres = 0;
};
UnitGuess guess_unit(const VesselAnalysis& vessel);

/// Whether the largest opening, or without one the vessel, has the size of a vessel (geometry::is_likely_vessel).
bool is_likely(const VesselAnalysis& vessel, double metres_per_unit);

/// The table of openings and the findings, as text.
std::string report_text(const VesselAnalysis& vessel, const std::vector<Role>& roles, std::string_view unit);

/// The same as JSON. Lengths in units of the file.
std::string report_json(const VesselAnalysis& vessel, const std::vector<Role>& roles, std::string_view file,
                        std::string_view unit, double metres_per_unit);

}  // namespace weft::openings
