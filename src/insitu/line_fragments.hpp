// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "insitu/bricks.hpp"
#include "insitu/projection.hpp"
#include "insitu/streamlines.hpp"

namespace weft::insitu {

/// A place where the ray of a pixel meets a streamline, which is drawn as a thin tube.
struct LineFragment {
  std::uint32_t pixel = 0;
  std::uint32_t line = 0;
  float depth = 0, distance = 0;  ///< from the line's middle, pixels
  Float4 colour{};                ///< times opacity; and opacity
};

/// For each of this rank's bricks what lies in its block, by pixel and depth. All lines are looked at, whoever found their
/// points, but a fragment is in the one brick whose block it lies in, so that ranks never draw one twice.
/// `colour` is that of a point's speed.
std::vector<std::vector<LineFragment>> line_fragments(const Bricks& bricks, const Projection& projection, std::vector<LinePoint> points,
                                                      const std::function<Float4(float)>& colour);

}  // namespace weft::insitu
