// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/vessels/tube_tree.hpp"
#include "geometry/domain.hpp"
#include "geometry/surface.hpp"

namespace weft::bench {

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

/// An abdominal aorta with both iliac arteries: inlet 182 mm^2, outlets 64 mm^2 each; mean Re 350, highest 1,400.
MadeVessel make_aorta();
/// A common carotid with bends, its bulb, and the internal and external carotid.
MadeVessel make_carotid();
/// A trunk with four branches: six openings.
MadeVessel make_six_openings();
/// Any vessel: one to five outlets, random radii, angles, bends, taper and a highest Re from 50 to 1,500. The same on
/// every machine.
MadeVessel make_random_vessel(std::uint64_t seed);

/// By name: aorta, carotid, six, random. Throws InputError for others.
MadeVessel make_vessel_named(std::string_view name, std::uint64_t seed);

}  // namespace weft::bench
