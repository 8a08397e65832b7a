// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "geometry/surface.hpp"

namespace weft::hemelb {

/// The largest distance from `centre` to the lumen's wall in the plane through it, m: of the (closed or open) curves in
/// which the plane cuts the surface, the nearest one to the centre counts. 0 if the plane cuts nothing. The surface may
/// have holes. Not collective.
double lumen_reach(const geometry::Surface& surface, const geometry::Vector& centre, const geometry::Vector& normal);

}  // namespace weft::hemelb
