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
    index_ = node_index(x, y, z);
    first_ = nodes + index_;
    t_ = {at[0] - static_cast<float>(x), at[1] - static_cast<float>(y), at[2] - static_cast<float>(z)};
  }

  /// The same, from the index of the first node and the point's offset from it.
  Cell(const Float4* nodes, std::size_t index, const Float3& t) : index_(index), first_(nodes + index), t_(t) {}

  /// The index of the first node in the brick.
  std::size_t index() const { return index_; }
  /// All four numbers, interpolated linearly along each axis.
  Float4 value() const {
    const Float4 a = mix(along_x(0, 0), along_x(1, 0), t_[1]), b = mix(along_x(0, 1), along_x(1, 1), t_[1]);
    return mix(a, b, t_[2]);
  }
  struct Coverage {
    float value;
    Float3 gradient;  ///< per voxel
  };
  /// Value and gradient of the third number.
  Coverage coverage() const {
    const auto c = [&](int x, int y, int z) { return first_[node_index(x, y, z)][2]; };
    const auto mix1 = [](float a, float b, float s) { return a + s * (b - a); };
    const auto [x, y, z] = t_;
    // At the four edges along z: the slope, and the value at this z.
    const float d0 = c(0, 0, 1) - c(0, 0, 0), d1 = c(1, 0, 1) - c(1, 0, 0), d2 = c(0, 1, 1) - c(0, 1, 0),
                d3 = c(1, 1, 1) - c(1, 1, 0);
    const float m0 = c(0, 0, 0) + z * d0, m1 = c(1, 0, 0) + z * d1, m2 = c(0, 1, 0) + z * d2, m3 = c(1, 1, 0) + z * d3;
    return {mix1(mix1(m0, m1, x), mix1(m2, m3, x), y),
            {mix1(m1 - m0, m3 - m2, y), mix1(m2 - m0, m3 - m1, x), mix1(mix1(d0, d1, x), mix1(d2, d3, x), y)}};
  }

 private:
  static Float4 mix(const Float4& a, const Float4& b, float t) { return a + t * (b - a); }
  Float4 along_x(int y, int z) const { return mix(first_[node_index(0, y, z)], first_[node_index(1, y, z)], t_[0]); }

  std::size_t index_;
  const Float4* first_;
  Float3 t_{};
};

}  // namespace insitu
}  // namespace weft
