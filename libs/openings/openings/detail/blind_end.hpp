// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "openings/find_openings.hpp"

namespace weft::openings::detail {

/// The lumen that a plane cuts around a place (or nearest to it), as an opening whose normal is the plane's; none where
/// the plane misses the vessel. Its disc cuts all of the lumen and keeps clear of others.
std::optional<VesselOpening> lumen_around(const Surface& closed, const Vector& place, const Vector& normal);

struct BlindCut {
  VesselOpening opening;
  bool is_steady = false;  ///< the lumen there is a tube's
};

/// Cuts a blind end: where, going from the tip along the centreline (`way`, the tip first), sections across it become
/// steady, at right angles to the line through their middles.
std::optional<BlindCut> cut_blind_end(const Surface& closed, const std::vector<Vector>& way, double radius);

}  // namespace weft::openings::detail
