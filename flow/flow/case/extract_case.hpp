// SPDX-License-Identifier: BSD-3-Clause
//
// Sections [[extract]], [[section]] and [average] of a case: outputs besides the whole fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/case/every.hpp"
#include "flow/case/quantity.hpp"
#include "geometry/domain.hpp"
#include "weft/names.hpp"

namespace weft::flow {

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
