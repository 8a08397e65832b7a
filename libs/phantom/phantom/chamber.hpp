// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "phantom/made_vessel.hpp"

namespace weft::phantom {

/// A chamber of a heart: what is no tube, and is blind where no tube leaves it.
enum class Chamber : std::uint8_t {
  ventricle,  ///< an ellipsoid, one and a half to two and a half times as long as wide, with two tubes at its base
  atrium      ///< nearly round, with four or five tubes all around, one to two diameters long
};

/// A random one, the same on every machine. Its tubes are cut open at their openings, or else end round and blind
/// beyond them.
MadeVessel make_random_chamber(Chamber kind, std::uint64_t seed, bool is_open);

/// Takes away what lies behind an opening's disc, up to two of its radii: a flat rim is left.
geometry::Surface cut_open(const geometry::Surface& surface, const geometry::Opening& opening);

}  // namespace weft::phantom
