// SPDX-License-Identifier: BSD-3-Clause
//
// The length units of surface files, and the estimate of the unit of a vessel.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "geometry/vector.hpp"
#include "weft/names.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry::detail {

// Positions in error messages, in the units of the file.

/// "1.234"
std::string number_text(double metres, double metres_per_unit);
/// "(1, 2.5, -3)"
std::string place_text(const Vector& metres, double metres_per_unit);

}  // namespace geometry::detail
}  // namespace weft

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// The length in metres of each unit name of cases and command lines.
inline constexpr Names<double> surface_units("unit", {{1, "m"}, {1e-2, "cm"}, {1e-3, "mm"}, {1e-6, "um"}});

/// The length in metres of a unit name, or of a number of metres above 0; nothing if the text is neither.
std::optional<double> metres_of(std::string_view text);

/// The size of a vessel in units of its file.
struct VesselSize {
  double length = 0;          ///< from end to end
  double opening_radius = 0;  ///< of its widest opening; 0: not known
};

/// Whether human or animal vessels have this size: from small arteries of a mouse to the aorta of a large man.
///
/// The width of an opening decides if it is known: a short piece of an aorta and a long tree of arterioles may have the
/// same length, but not the same width. The length then only has to fit into a body. Without a width the limits of the
/// length are narrower: more than 1 m is more likely a short vessel in a smaller unit than a whole body's vessel.
bool is_likely_vessel(const VesselSize& size, double metres_per_unit);

/// The unit that gives the surface the size of a vessel, or nothing. The first suitable one of mm, m, cm, um: most
/// files are in mm. Metres precede cm, since both are possible only for a vessel as wide as an aorta in m, but less
/// than half a millimetre wide in cm.
std::optional<Named<double>> likely_unit(const VesselSize& size);

}  // namespace geometry
}  // namespace weft
