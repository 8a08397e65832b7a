// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/scene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::insitu {

namespace {

using Table = std::array<Colour, 33>;

constexpr Table viridis{{
    {0.2670F, 0.0049F, 0.3294F}, {0.2770F, 0.0503F, 0.3757F}, {0.2823F, 0.0950F, 0.4173F}, {0.2829F, 0.1359F, 0.4534F},
    {0.2788F, 0.1755F, 0.4834F}, {0.2706F, 0.2141F, 0.5071F}, {0.2590F, 0.2515F, 0.5247F}, {0.2450F, 0.2877F, 0.5373F},
    {0.2297F, 0.3224F, 0.5457F}, {0.2143F, 0.3556F, 0.5512F}, {0.1994F, 0.3876F, 0.5546F}, {0.1856F, 0.4186F, 0.5568F},
    {0.1727F, 0.4488F, 0.5579F}, {0.1607F, 0.4785F, 0.5581F}, {0.1490F, 0.5081F, 0.5573F}, {0.1378F, 0.5375F, 0.5549F},
    {0.1276F, 0.5669F, 0.5506F}, {0.1206F, 0.5964F, 0.5436F}, {0.1206F, 0.6258F, 0.5335F}, {0.1323F, 0.6550F, 0.5197F},
    {0.1579F, 0.6838F, 0.5017F}, {0.1966F, 0.7118F, 0.4792F}, {0.2461F, 0.7389F, 0.4520F}, {0.3041F, 0.7647F, 0.4199F},
    {0.3692F, 0.7889F, 0.3829F}, {0.4401F, 0.8111F, 0.3410F}, {0.5160F, 0.8312F, 0.2943F}, {0.5958F, 0.8487F, 0.2433F},
    {0.6785F, 0.8637F, 0.1895F}, {0.7624F, 0.8764F, 0.1371F}, {0.8456F, 0.8873F, 0.0997F}, {0.9261F, 0.8973F, 0.1041F},
    {0.9932F, 0.9062F, 0.1439F},
}};

// Between (0.230, 0.299, 0.754) and (0.706, 0.016, 0.150), in the paper's colour space.
constexpr Table diverging{{
    {0.2300F, 0.2990F, 0.7540F}, {0.2665F, 0.3534F, 0.8017F}, {0.3041F, 0.4068F, 0.8452F}, {0.3431F, 0.4590F, 0.8839F},
    {0.3833F, 0.5096F, 0.9176F}, {0.4246F, 0.5583F, 0.9458F}, {0.4669F, 0.6047F, 0.9683F}, {0.5099F, 0.6484F, 0.9849F},
    {0.5532F, 0.6890F, 0.9954F}, {0.5965F, 0.7262F, 0.9999F}, {0.6394F, 0.7597F, 0.9982F}, {0.6815F, 0.7890F, 0.9904F},
    {0.7223F, 0.8140F, 0.9766F}, {0.7616F, 0.8343F, 0.9569F}, {0.7988F, 0.8498F, 0.9317F}, {0.8335F, 0.8602F, 0.9011F},
    {0.8654F, 0.8654F, 0.8654F}, {0.8978F, 0.8490F, 0.8209F}, {0.9242F, 0.8274F, 0.7746F}, {0.9446F, 0.8010F, 0.7269F},
    {0.9590F, 0.7699F, 0.6782F}, {0.9675F, 0.7342F, 0.6289F}, {0.9702F, 0.6944F, 0.5795F}, {0.9671F, 0.6506F, 0.5304F},
    {0.9583F, 0.6030F, 0.4819F}, {0.9439F, 0.5519F, 0.4344F}, {0.9242F, 0.4975F, 0.3881F}, {0.8994F, 0.4398F, 0.3433F},
    {0.8695F, 0.3785F, 0.3003F}, {0.8349F, 0.3131F, 0.2593F}, {0.7960F, 0.2415F, 0.2204F}, {0.7529F, 0.1575F, 0.1839F},
    {0.7060F, 0.0161F, 0.1500F},
}};

}  // namespace

Colour colour_of(ColourMap map, float value) {
  const auto& table = map == ColourMap::viridis ? viridis : diverging;
  const float at = std::isnan(value) ? 0 : std::clamp(value, 0.0F, 1.0F) * static_cast<float>(table.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), table.size() - 2);
  const float t = at - static_cast<float>(i);
  Colour c{};
  for (std::size_t k = 0; k < 3; ++k) c[k] = (1 - t) * table[i][k] + t * table[i + 1][k];
  return c;
}

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
