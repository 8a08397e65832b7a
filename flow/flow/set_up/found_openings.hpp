// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flow/set_up/case_text.hpp"
#include "flow/set_up/choices.hpp"
#include "geometry/surface.hpp"
#include "geometry/units.hpp"

namespace weft::flow {

/// A surface and its possible openings. Lengths are in the unit of its file.
struct FoundVessel {
  geometry::Surface surface;
  std::vector<FoundOpening> openings;
  std::vector<std::string> problems;  ///< one sentence each, with the position
  geometry::VesselSize size;
  double volume = 0;     ///< enclosed, with open ends closed
  double narrowest = 0;  ///< diameter of the narrowest lumen between openings
  Choices proposal;
};

/// Reads a surface and finds its possible openings. Throws InputError if it can't be read.
FoundVessel find_vessel(const std::filesystem::path& file);

}  // namespace weft::flow
