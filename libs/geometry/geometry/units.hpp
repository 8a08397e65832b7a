// SPDX-License-Identifier: BSD-3-Clause
//
// The units in which the file of a surface counts, and which of them makes it a vessel.
#pragma once

#include <optional>
#include <string_view>

#include "weft/names.hpp"

namespace weft::geometry {

/// Metres, by the names that cases and command lines have for them.
inline constexpr Names<double> surface_units("unit", {{1, "m"}, {1e-2, "cm"}, {1e-3, "mm"}, {1e-6, "um"}});

/// The metres of a unit by its name, or by themselves as a number above 0; nothing if it is neither.
std::optional<double> metres_of(std::string_view text);

/// How large a vessel is, in units of its file.
struct VesselSize {
  double length = 0;          ///< from end to end
  double opening_radius = 0;  ///< of its widest opening; 0: not known
};

/// Whether vessels of people and animals are so large: from a mouse's small arteries to the aorta of a large man.
///
/// An opening's width decides where it is known: a short piece of an aorta and a long tree of arterioles may have the
/// same length, not the same width. The length then only has to be one that fits in a body. Without a width it is all
/// that there is, and its limits are narrower: a number that would be more than 1 m is more often a short vessel in a
/// smaller unit than a whole body's.
bool is_likely_vessel(const VesselSize& size, double metres_per_unit);

/// The unit that makes it a vessel, or nothing. Of several the first of mm, m, cm, um: most files count in mm. Metres
/// go before cm, since the two are in doubt only for what is as wide as an aorta in m, but less than half a millimetre
/// wide in cm.
std::optional<Named<double>> likely_unit(const VesselSize& size);

}  // namespace weft::geometry
