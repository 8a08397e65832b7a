// SPDX-License-Identifier: BSD-3-Clause
//
// The innermost loop of ray casting: some rays at once through one brick, compiled once per instruction set. All sets
// compute the same bits.
#pragma once

#include <array>
#include <cstdint>

#include "insitu/bricks.hpp"
#include "insitu/composite.hpp"
#include "insitu/scene.hpp"
#include "insitu/streamlines.hpp"

namespace weft::insitu::detail {

/// What the rays of all bricks have in common.
struct CastScene {
  Float3 direction{}, right{};
  Float3 light{};                ///< direction towards the light
  float low = 0, per_value = 0;  ///< table entries per unit of value
  bool has_volume = false, is_speed = false, is_wall_shear_stress = false;
  Wall wall = Wall::off;
  bool has_plane = false;
  Float3 plane_normal{};
  float plane_offset = 0;
  static constexpr int entries = 256;
  std::array<Float4, entries> colours{};      ///< opaque
  std::array<Float4, 2 * entries> samples{};  ///< of a volume's sample: colour times opacity, and opacity; then of a
                                              ///< sample that represents two
};

/// The brick that is being cast.
struct CastBrick {
  const ValueNode* nodes;
  Float3 first{};        ///< position of node (0, 0, 0)
  Float3 low{}, high{};  ///< the part that belongs to the block, cut to where fluid can be
};

/// A row of pixels.
struct CastRow {
  Float3 start{};            ///< of the ray of column 0
  std::int32_t left, right;  ///< columns [left, right), `left` a multiple of `rays_at_once`
  const float* jitter;       ///< from 0 to 1, by column from `left`
  float* light;              ///< that reaches the brick, by column; afterwards that which passes it
  Rgba* colours;             ///< the result by column: also beyond `right`, to a multiple of `rays_at_once`
  std::uint32_t pixel;       ///< of column 0
  const LineFragment *lines, *lines_end;  ///< of the row's pixels, ascending by pixel and depth
};
constexpr std::int32_t rays_at_once = 8;  ///< at most

/// The columns of a row that are not empty: [first, last).
struct CastColumns {
  std::int32_t first, last;
};

using CastKernel = CastColumns (*)(const CastScene&, const CastBrick&, const CastRow&);
extern const CastKernel generic_cast, avx2_cast;

}  // namespace weft::insitu::detail
