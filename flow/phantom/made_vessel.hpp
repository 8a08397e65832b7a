// SPDX-License-Identifier: BSD-3-Clause
//
// The library phantom: synthetic vessels: tubes, trees of tubes, random vessels from a seed, and named ones with known
// flow. It produces surfaces (STL), as a scanner does. For benchmarks and tests; no program for users links it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace weft::phantom {

/// A synthetic vessel in the form of a segmentation: one closed surface with round, blind ends. Its true openings and
/// the blood's velocity are known.
struct MadeVessel {
  std::string name;
  geometry::Surface surface;                       ///< metres
  std::vector<geometry::Opening> openings;         ///< the inlet, then the outlets; the lumen's own radius
  double highest_reynolds = 0, mean_reynolds = 0;  ///< of the inlet's mean velocity and diameter, over a beat
  double period = 0;                               ///< s, of a beat
  enum class Pulse : std::uint8_t { aortic, carotid } pulse = Pulse::aortic;
  double voxel = 0;  ///< m, a suitable voxel size
};

}  // namespace weft::phantom
