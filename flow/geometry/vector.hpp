// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// A point or a direction in space.
using Vector = std::array<double, 3>;

constexpr Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
constexpr Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
constexpr Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
constexpr double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
constexpr Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vector& a) { return std::sqrt(dot(a, a)); }
inline Vector normalised(const Vector& a) { return (1.0 / length(a)) * a; }

}  // namespace geometry
}  // namespace weft
