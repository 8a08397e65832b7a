// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "insitu/bricks.hpp"
#include "insitu/scene.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace insitu {

/// The eight nodes of a brick around a point, given in nodes from the brick's first one: within [0, 9) along each axis.
class Cell {
 public:
  Cell(const Float4* nodes, const Float3& at) {
    const auto x = static_cast<int>(at[0]), y = static_cast<int>(at[1]), z = static_cast<int>(at[2]);
    first_ = nodes + node_index(x, y, z);
    t_ = {at[0] - static_cast<float>(x), at[1] - static_cast<float>(y), at[2] - static_cast<float>(z)};
  }

  /// All four numbers, interpolated linearly along each axis.
  Float4 value() const {
    const Float4 a = mix(along_x(0, 0), along_x(1, 0), t_[1]), b = mix(along_x(0, 1), along_x(1, 1), t_[1]);
    return mix(a, b, t_[2]);
  }

 private:
  static Float4 mix(const Float4& a, const Float4& b, float t) { return a + t * (b - a); }
  Float4 along_x(int y, int z) const { return mix(first_[node_index(0, y, z)], first_[node_index(1, y, z)], t_[0]); }

  const Float4* first_;
  Float3 t_{};
};

}  // namespace insitu
}  // namespace weft
