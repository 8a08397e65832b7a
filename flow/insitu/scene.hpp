// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "weft/names.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace insitu {

/// The quantity shown by the colours.
enum class Quantity : std::uint8_t { speed, pressure, wall_shear_stress };
inline constexpr Names<Quantity> quantity_names("quantity", {{Quantity::speed, "speed"},
                                                             {Quantity::pressure, "pressure"},
                                                             {Quantity::wall_shear_stress, "wall_shear_stress"}});

/// Both are perceptually uniform: viridis for values from 0, diverging for values around a middle.
enum class ColourMap : std::uint8_t { viridis, diverging };
inline constexpr Names<ColourMap> colour_map_names("map", {{ColourMap::viridis, "viridis"},
                                                           {ColourMap::diverging, "diverging"}});

/// The vessel's wall: omitted, translucent or opaque. An opaque wall covers the volume.
enum class Wall : std::uint8_t { off, glass, solid };
inline constexpr Names<Wall> wall_names("wall", {{Wall::off, "off"}, {Wall::glass, "glass"}, {Wall::solid, "solid"}});

/// The direction of view. Angles 0, 0 look along -y with z upwards.
struct Camera {
  double azimuth = 30, elevation = 20;  ///< degrees; elevation within [-90, 90]
  double zoom = 1;                      ///< 1: the whole vessel fits
  std::array<double, 2> pan{};          ///< of the vessel in the picture, in heights of the picture: right, up
  bool operator==(const Camera&) const = default;
};

/// All parameters of a picture besides the flow. The same on every rank; sent as bytes.
struct Scene {
  static constexpr float automatic = std::numeric_limits<float>::quiet_NaN();
  static constexpr std::int32_t least_pixels = 16, most_pixels = 4096;

  Camera camera{};
  Quantity quantity = Quantity::speed;
  ColourMap map = ColourMap::viridis;
  float low = automatic, high = automatic;  ///< range of the colours, SI units; automatic: from the data
  float opacity = 0.5F;                     ///< of the volume, over the vessel's typical width; 0: no volume
  Wall wall = Wall::glass;
  bool plane = false;
  std::array<float, 3> plane_normal{0, 1, 0};
  float plane_at = 0.5F;  ///< 0 to 1, across the vessel along the normal
  bool streamlines = false;
  std::int32_t width = 512, height = 512;
  bool operator==(const Scene&) const = default;
};

/// Red, green, blue, each from 0 to 1, as displayed.
using Colour = std::array<float, 3>;

/// The colour of a value from 0 to 1; values outside have the colour of the nearer end.
///   viridis    S. van der Walt, N. Smith (2015), dedicated to the public domain; interpolated between 33 of its
///   colours diverging  K. Moreland, Diverging color maps for scientific visualization, ISVC 2009: cool to warm,
///   through a light grey
Colour colour_of(ColourMap map, float value);

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

}  // namespace insitu
}  // namespace weft
