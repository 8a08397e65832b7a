// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "phantom/made_vessel.hpp"

namespace weft::phantom {

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

}  // namespace weft::phantom
