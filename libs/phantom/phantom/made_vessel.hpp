// SPDX-License-Identifier: BSD-3-Clause
//
// The library phantom: vessels that are made, not measured: tubes, trees of tubes, random vessels from a seed, and
// named ones with what is known of the flow in them. Surfaces (STL) come out, as from a scanner. For benchmarks and
// tests; no program of a user's links it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace weft::phantom {

/// A vessel that weft makes itself, as a segmentation would give it: one closed surface whose ends are round and blind.
/// Where its true openings lie, and how fast blood flows, is known.
struct MadeVessel {
  std::string name;
  geometry::Surface surface;                       ///< metres
  std::vector<geometry::Opening> openings;         ///< the inlet, then the outlets; the lumen's own radius
  double highest_reynolds = 0, mean_reynolds = 0;  ///< of the inlet's mean velocity and diameter, over a beat
  double period = 0;                               ///< s, of a beat
  enum class Pulse : std::uint8_t { aortic, carotid } pulse = Pulse::aortic;
  double voxel = 0;  ///< m, that suits it
};

}  // namespace weft::phantom
