// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "geometry/surface.hpp"

namespace weft::hemelb {

/// How far from `centre` a vessel's surface reaches in the plane through it, m: of the closed or open curves in which
/// the plane cuts the surface, the one nearest to the centre counts, which is the lumen's own. 0 if the plane cuts
/// nothing. The surface may have holes. Not collective.
double lumen_reach(const geometry::Surface& surface, const geometry::Vector& centre, const geometry::Vector& normal);

}  // namespace weft::hemelb
