// SPDX-License-Identifier: BSD-3-Clause
//
// The library phantom: synthetic vessels: tubes, trees of tubes, random vessels from a seed, and named ones with known
// flow. It produces surfaces (STL), as a scanner does. For benchmarks and tests; no program for users links it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

/// A random vessel: one to five outlets, random radii, angles, bends, taper and a highest Re from 50 to 1,500. The same
/// on every machine.
MadeVessel make_random_vessel(std::uint64_t seed);

/// A chamber of a heart: not a tube, and blind except for its tubes.
enum class Chamber : std::uint8_t {
  ventricle,  ///< an ellipsoid, one and a half to two and a half times as long as wide, with two tubes at its base
  atrium      ///< nearly round, with four or five tubes all around, one to two diameters long
};

/// A random chamber, the same on every machine. Its tubes are cut open at their openings, or continue beyond them to a
/// round, blind end.
MadeVessel make_random_chamber(Chamber kind, std::uint64_t seed, bool is_open);

/// Removes the part behind an opening's disc, up to two of its radii, and leaves a flat rim.
geometry::Surface cut_open(const geometry::Surface& surface, const geometry::Opening& opening);

/// An abdominal aorta with both iliac arteries: inlet 182 mm^2, outlets 64 mm^2 each; mean Re 350, highest 1,400.
MadeVessel make_aorta();
/// A common carotid with bends, its bulb, and the internal and external carotid.
MadeVessel make_carotid();
/// A trunk with four branches: six openings.
MadeVessel make_six_openings();
/// By name: aorta, carotid, six, random. Throws InputError for others.
MadeVessel make_vessel_named(std::string_view name, std::uint64_t seed);

}  // namespace weft::phantom
