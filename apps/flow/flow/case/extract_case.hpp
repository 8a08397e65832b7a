// SPDX-License-Identifier: BSD-3-Clause
//
// Sections [[extract]], [[section]] and [average] of a case: what is kept of a flow besides its whole fields.
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

/// Part of the vessel that is written every so often, and at the end.
struct ExtractCase : Every {
  enum class Shape : std::uint8_t {
    whole,
    surface,     ///< sites beside the wall, within a radius where one is given
    plane,       ///< sites whose voxel it cuts, within a radius where one is given
    line,        ///< sites in whose voxel a part of it lies
    point,       ///< the site in whose voxel it lies
    centreline,  ///< no sites: cuts across the way from the inlet to each other opening
    triangles,   ///< no sites: the surface's own triangles
  };
  enum class Format : std::uint8_t { vtkhdf, csv };

  std::string name;
  Shape shape = Shape::whole;
  Format format = Format::vtkhdf;
  geometry::Vector at{};            ///< plane: a point of it, and the disc's centre; line: one end; point; of a surface
                                    ///< with a radius the centre
  geometry::Vector to{};            ///< line: the other end
  geometry::Vector normal{};        ///< plane; unit length
  std::optional<double> radius{};   ///< plane, surface, m
  std::optional<double> spacing{};  ///< centreline, m, from one cut to the next; none: the lumen's radius
  double metres_per_unit = 1;       ///< triangles: what their corners count in
  std::vector<FieldQuantity> quantities{};

  bool is(Shape other) const { return shape == other; }
  bool needs_stress() const;
  bool needs_averages() const;
  bool needs_wall_stress() const;  ///< of the step itself
  bool needs_walls() const;
};

/// A disc across the vessel through which the flow and on which the mean pressure is told with the monitors.
struct SectionCase {
  std::string name;
  geometry::Vector centre{}, normal{};  ///< m; of unit length, the way that counts as positive
  double radius = 0;                    ///< m
};

/// How the wall shear stress is averaged over time.
struct AverageCase : Every {
  static constexpr std::int64_t usual_steps = 20;
  double start = 0;  ///< s
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
