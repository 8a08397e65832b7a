// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/projection.hpp"

#include <algorithm>
#include <numbers>

namespace weft::insitu {

Projection make_projection(const Scene& scene, const std::array<std::int32_t, 3>& extent) {
  const double a = scene.camera.azimuth * std::numbers::pi / 180, e = scene.camera.elevation * std::numbers::pi / 180;
  using Vector = std::array<double, 3>;
  const Vector towards{std::sin(a) * std::cos(e), -std::cos(a) * std::cos(e), -std::sin(e)};  // direction of the rays
  const Vector right{-std::cos(a), -std::sin(a), 0};
  const Vector up{std::sin(a) * std::sin(e), -std::cos(a) * std::sin(e), std::cos(e)};
  double squared = 0;
  for (const auto n : extent) squared += static_cast<double>(n) * n;
  const double radius = 0.5 * std::sqrt(squared);
  constexpr double filled = 0.9;  // the corners of a box are rarely filled
  const double per_pixel = 2 * radius * filled / (scene.camera.zoom * std::min(scene.width, scene.height));
  const double columns = 0.5 * (scene.width - 1) + scene.camera.pan[0] * scene.height;
  const double rows = 0.5 * (scene.height - 1) - scene.camera.pan[1] * scene.height;
  Projection p;
  p.width = scene.width;
  p.height = scene.height;
  for (std::size_t i = 0; i < 3; ++i) {
    const double centre = 0.5 * (extent[i] - 1);
    p.origin[i] =
        static_cast<float>(centre - 1.05 * radius * towards[i] - per_pixel * (columns * right[i] - rows * up[i]));
    p.right[i] = static_cast<float>(per_pixel * right[i]);
    p.down[i] = static_cast<float>(-per_pixel * up[i]);
    p.direction[i] = static_cast<float>(towards[i]);
  }
  return p;
}

}  // namespace weft::insitu
