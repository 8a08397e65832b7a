// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "hemelb/gmy.hpp"

namespace weft::hemelb {

/// Data of the openings in a .gmy file.
struct GmyOpenings {
  std::int64_t sites = 0;      ///< of the whole file
  std::vector<double> radius;  ///< of each opening, in voxels; 0: no link is cut there
};

/// Reads all blocks of a file, one at a time, and measures the largest distance from its centre at which an opening
/// cuts links. (HemeLB's XML has no radius for most conditions.) `openings` are inlets, then outlets, with centre and
/// normal in voxels from site (0, 0, 0). Not collective. Memory: one block. Throws InputError.
GmyOpenings measure_openings(const Gmy& gmy, const std::vector<geometry::Opening>& openings);

}  // namespace weft::hemelb
