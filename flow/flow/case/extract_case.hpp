// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/domain.hpp"
#include "weft/names.hpp"

namespace weft::flow {

/// An output interval. At most one of the two is given; none: no output, or only at the end.
struct Every {
  std::optional<double> every_seconds{};  ///< simulated time
  std::optional<std::int64_t> every_steps{};

  bool is_given() const { return every_seconds || every_steps; }
  bool operator==(const Every&) const = default;
};

/// The quantities that a file may contain for a site.
enum class FieldQuantity : std::uint8_t {
  pressure,
  velocity,
  stress,             ///< viscous, traceless: XX YY ZZ XY YZ XZ
  von_mises,          ///< sqrt(3/2 s:s) of the viscous stress s
  shear_rate,         ///< sqrt(2 S:S) of the strain rate S
  viscosity,          ///< dynamic, at that shear rate
  wall_shear_stress,  ///< force of the fluid on the wall per area: a vector along the wall
  wall_shear_stress_magnitude,
  mean_wall_shear_stress,   ///< time mean of the magnitude
  oscillatory_shear_index,  ///< 1/2 (1 - |mean of the vector| / mean of the magnitude): 0 steady, 1/2 oscillating
  relative_residence_time,  ///< 1 / ((1 - 2 of that index) mean of the magnitude) = 1 / |mean of the vector|
};

struct QuantityTraits {
  FieldQuantity quantity;
  std::string_view name;
  std::string_view unit;  ///< as in a column's name: "pa"; empty: dimensionless
  std::size_t components;
  bool needs_stress, of_wall, of_time;  ///< of_wall: at sites beside the wall only; of_time: an average over steps
};

/// All quantities, in the order of FieldQuantity.
std::span<const QuantityTraits> all_quantities();
const QuantityTraits& traits(FieldQuantity quantity);
/// The names of all quantities, in the same order.
const std::vector<std::string>& field_quantity_names();
/// The quantity of this name, or nothing.
std::optional<FieldQuantity> find_quantity(std::string_view name);
/// With its unit: "velocity_m_per_s".
std::string name_with_unit(FieldQuantity quantity, std::string_view component = {});
/// Names of its columns in a table: "velocity_x_m_per_s", "stress_xy_pa".
std::vector<std::string> column_names(FieldQuantity quantity);

// Sections [[extract]], [[section]] and [average] of a case: outputs besides the whole fields.

/// A part of the vessel that is written at an interval, and at the end.
struct ExtractCase : Every {
  enum class Shape : std::uint8_t {
    whole,
    surface,     ///< sites beside the wall, within a radius if one is given
    plane,       ///< sites whose voxel the plane cuts, within a radius if one is given
    line,        ///< sites whose voxel the line cuts
    point,       ///< the site whose voxel contains the point
    centreline,  ///< no sites: cross-sections along the way from the inlet to each other opening
    triangles,   ///< no sites: the surface's own triangles
  };
  enum class Format : std::uint8_t { vtkhdf, csv };

  std::string name;
  Shape shape = Shape::whole;
  Format format = Format::vtkhdf;
  geometry::Vector at{};  ///< plane: a point of it and the disc's centre; line: one end; point: itself; surface with a
                          ///< radius: the centre
  geometry::Vector to{};  ///< line: the other end
  geometry::Vector normal{};        ///< plane; unit length
  std::optional<double> radius{};   ///< plane, surface, m
  std::optional<double> spacing{};  ///< centreline: distance of two cuts, m; none: the lumen's radius
  double metres_per_unit = 1;       ///< triangles: unit of the corners in the file
  std::vector<FieldQuantity> quantities{};

  bool is(Shape other) const { return shape == other; }
  bool needs_stress() const;
  bool needs_averages() const;
  bool needs_wall_stress() const;  ///< of a single step, not averaged
  bool needs_walls() const;
  bool operator==(const ExtractCase&) const = default;
};

/// A disc across the vessel. The monitors report the flow through it and the mean pressure on it.
struct SectionCase {
  std::string name;
  geometry::Vector centre{}, normal{};  ///< centre in m; unit normal in the direction of positive flow
  double radius = 0;                    ///< m
  bool operator==(const SectionCase&) const = default;
};

/// Time averaging of the wall shear stress.
struct AverageCase : Every {
  static constexpr std::int64_t usual_steps = 20;
  double start = 0;  ///< s
  bool operator==(const AverageCase&) const = default;
};

inline constexpr Names<ExtractCase::Shape> extract_shape_names("shape", {{ExtractCase::Shape::whole, "whole"},
                                                                         {ExtractCase::Shape::surface, "surface"},
                                                                         {ExtractCase::Shape::plane, "plane"},
                                                                         {ExtractCase::Shape::line, "line"},
                                                                         {ExtractCase::Shape::point, "point"},
                                                                         {ExtractCase::Shape::centreline, "centreline"},
                                                                         {ExtractCase::Shape::triangles, "triangles"}});
std::string_view name_of(ExtractCase::Shape shape);

}  // namespace weft::flow
