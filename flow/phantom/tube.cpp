// SPDX-License-Identifier: BSD-3-Clause
#include "phantom/tube.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace weft::phantom {

using geometry::Vector;
// Vector is an array, so its operators are not found by argument-dependent lookup
using geometry::operator+, geometry::operator-, geometry::operator*;

geometry::Surface make_tube(const Vector& start, const Vector& end, double radius, int around, int along) {
  const auto axis = geometry::normalised(end - start);
  const auto helper = std::abs(axis[0]) < 0.7 ? Vector{1, 0, 0} : Vector{0, 1, 0};
  const auto u = geometry::normalised(geometry::cross(axis, helper));
  const auto v = geometry::cross(axis, u);
  geometry::Surface surface;
  const auto at = [around](int ring, int k) { return static_cast<std::uint32_t>(ring * around + k % around); };
  for (int ring = 0; ring <= along; ++ring)
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around, t = static_cast<double>(ring) / along;
      surface.vertices.push_back(start + t * (end - start) + (radius * std::cos(angle)) * u +
                                 (radius * std::sin(angle)) * v);
    }
  for (int ring = 0; ring < along; ++ring)
    for (int k = 0; k < around; ++k) {
      surface.triangles.push_back({at(ring, k), at(ring, k + 1), at(ring + 1, k)});
      surface.triangles.push_back({at(ring + 1, k), at(ring, k + 1), at(ring + 1, k + 1)});
    }
  const auto first = static_cast<std::uint32_t>(surface.vertices.size());
  surface.vertices.push_back(start);
  surface.vertices.push_back(end);
  for (int k = 0; k < around; ++k) {
    surface.triangles.push_back({first, at(0, k + 1), at(0, k)});
    surface.triangles.push_back({first + 1, at(along, k), at(along, k + 1)});
  }
  return surface;
}

}  // namespace weft::phantom
