// SPDX-License-Identifier: BSD-3-Clause
#include "flow/tests/view/fake_vessel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace weft::view::testing {
namespace {

using Vector = std::array<double, 3>;

Vector operator+(Vector a, Vector b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector operator*(double f, Vector a) { return {f * a[0], f * a[1], f * a[2]}; }
double dot(Vector a, Vector b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Distance to the vessel's wall, negative inside: half a ring in the x-z plane, its straight ends, a bulb at the top.
double distance(Vector p) {
  const double x = p[0], y = p[1], z = p[2] + 0.3;
  const double ring = z > 0 ? std::hypot(x, z) - 0.6 : std::abs(x) - 0.6;
  const double tube = std::hypot(ring, y) - 0.17;
  const double ends = std::max(tube, -0.8 - z);
  const double bulb = std::hypot(x - 0.12, y, z - 0.82) - 0.3;
  const double h = std::clamp(0.5 + 0.5 * (bulb - ends) / 0.12, 0.0, 1.0);
  return bulb + (ends - bulb) * h - 0.12 * h * (1 - h);
}

std::array<double, 3> colour(double value, bool diverging) {
  using Palette = std::array<std::array<double, 3>, 5>;
  static constexpr Palette viridis{{{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  static constexpr Palette middle{{{59, 76, 192}, {141, 176, 254}, {221, 221, 221}, {244, 152, 122}, {180, 4, 38}}};
  const auto& palette = diverging ? middle : viridis;
  const double at = 4 * std::clamp(value, 0.0, 0.999);
  const auto i = static_cast<std::size_t>(at);
  return (1 - (at - static_cast<double>(i))) * palette[i] + (at - static_cast<double>(i)) * palette[i + 1];
}

}  // namespace

Picture draw_fake(const nlohmann::json& scene, std::int64_t step) {
  constexpr double degree = std::numbers::pi / 180;
  constexpr Vector background{14, 18, 24};
  const auto& camera = scene.at("camera");
  const double a = camera.at("azimuth").get<double>() * degree, e = camera.at("elevation").get<double>() * degree;
  const Vector forward{std::sin(a) * std::cos(e), -std::cos(a) * std::cos(e), -std::sin(e)};
  const Vector right{-std::cos(a), -std::sin(a), 0};
  const Vector up{std::sin(a) * std::sin(e), -std::cos(a) * std::sin(e), std::cos(e)};
  const bool diverging = scene.at("map") == "diverging", glass = scene.at("wall") != "solid",
             wall = scene.at("wall") != "off";
  const double shift = scene.at("quantity") == "pressure" ? 0.4 : scene.at("quantity") == "speed" ? 0 : 0.2;
  const double opacity = scene.at("opacity").get<double>();
  const double zoom = camera.at("zoom").get<double>() * 0.8;
  Picture picture{
      .step = step, .width = scene.at("width").get<int>(), .height = scene.at("height").get<int>(), .rgb = {}};
  picture.rgb.reserve(static_cast<std::size_t>(3 * picture.width * picture.height));
  const double pan_right = camera.at("pan")[0].get<double>(), pan_up = camera.at("pan")[1].get<double>();
  for (int row = 0; row < picture.height; ++row) {
    for (int column = 0; column < picture.width; ++column) {
      const double sx = (column - 0.5 * picture.width) / picture.height - pan_right;
      const double sy = (0.5 * picture.height - row) / picture.height - pan_up;
      auto p = -3.0 * forward + (2 / zoom * sx) * right + (2 / zoom * sy) * up;
      auto light = background;
      double far = 0;
      for (int i = 0; i < 40 && far < 5; ++i) {
        const double d = distance(p);
        if (d < 0.004) break;
        p = p + d * forward;
        far += d;
      }
      if (distance(p) < 0.01) {
        Vector normal{};
        for (std::size_t k = 0; k < 3; ++k) {
          auto q = p;
          q[k] += 1e-3;
          normal[k] = (distance(q) - distance(p)) / 1e-3;
        }
        const double facing = std::clamp(-dot(normal, forward), 0.0, 1.0);
        const double value =
            shift + 0.35 + 0.3 * facing * facing + 0.3 * std::sin(4 * p[2] + 1e-3 * static_cast<double>(step));
        const auto inside = (0.25 + 0.75 * facing) * colour(value, diverging);
        const Vector shine{200, 205, 215};
        const double skin = wall ? (glass ? 0.12 + 0.5 * (1 - facing) * (1 - facing) : 1) : 0;
        light = (1 - opacity) * light + opacity * inside;
        light = (1 - skin) * light + (skin * (glass ? 1 : 0.3 + 0.7 * facing)) * shine;
      }
      for (const double channel : light)
        picture.rgb.push_back(static_cast<std::uint8_t>(std::clamp(channel, 0.0, 255.0)));
    }
  }
  return picture;
}

}  // namespace weft::view::testing
