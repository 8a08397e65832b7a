// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "geometry/surface.hpp"

namespace weft::phantom {

/// A straight tube from `start` to `end` with flat caps: closed, oriented outwards.
geometry::Surface make_tube(const geometry::Vector& start, const geometry::Vector& end, double radius, int around,
                            int along);

}  // namespace weft::phantom
