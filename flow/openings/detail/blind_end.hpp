// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "openings/detail/flat_caps.hpp"
#include "openings/find_openings.hpp"

namespace weft::openings::detail {

/// The lumen in a plane around (or nearest to) a point, as an opening with the plane's normal; none if the plane misses
/// the vessel. Its disc cuts all of the lumen and does not touch other lumens.
std::optional<VesselOpening> lumen_around(const Surface& closed, const Vector& place, const Vector& normal);

struct BlindCut {
  VesselOpening opening;
  bool is_steady = false;  ///< the lumen there is a tube with a constant section
};

/// Cuts a blind end where, going from the tip along the centreline (`way`, the tip first), the sections become
/// constant, at right angles to the line through their centres.
std::optional<BlindCut> cut_blind_end(const Surface& closed, const std::vector<Vector>& way, double radius);

/// Whether a cut removes the tip and nothing else: not another branch, and not the rest of a ring or of a chamber.
bool removes_only(const Surface& closed, const Neighbours& neighbours, const VesselOpening& cut, const Vector& tip);

}  // namespace weft::openings::detail
