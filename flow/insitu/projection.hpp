// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "insitu/scene.hpp"

namespace weft::insitu {

using Float3 = std::array<float, 3>;

constexpr Float3 operator+(const Float3& a, const Float3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
constexpr Float3 operator-(const Float3& a, const Float3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
constexpr Float3 operator*(float s, const Float3& a) { return {s * a[0], s * a[1], s * a[2]}; }
constexpr float dot(const Float3& a, const Float3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Parallel projection: all lengths in voxels, so a ray's parameter is its depth. Identical on every rank.
struct Projection {
  Float3 origin{};     ///< where the ray of pixel (0, 0) starts; all rays start in front of the vessel
  Float3 right{};      ///< from one pixel to the next in a row
  Float3 down{};       ///< from one row to the next
  Float3 direction{};  ///< of all rays, of unit length
  std::int32_t width = 0, height = 0;

  Float3 start(float column, float row) const { return origin + column * right + row * down; }
  /// Column, row and depth of a point.
  Float3 project(const Float3& point) const {
    const auto d = point - origin;
    return {dot(d, right) / dot(right, right), dot(d, down) / dot(down, down), dot(d, direction)};
  }
  float voxels_per_pixel() const { return std::sqrt(dot(right, right)); }
};

/// For a vessel whose sites are [0, extent).
Projection make_projection(const Scene& scene, const std::array<std::int32_t, 3>& extent);

}  // namespace weft::insitu
