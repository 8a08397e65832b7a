// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "geometry/files/surface_file.hpp"
#include "geometry/surface.hpp"
#include "geometry/vector.hpp"

namespace weft::geometry::files {

/// Collects triangles in the file's units and gives equal points one number.
class SurfaceBuilder {
 public:
  /// Reserves memory for about this many triangles.
  void expect(std::size_t triangles);
  void triangle(const std::array<Vector, 3>& corners);
  /// The next triangles belong to this part.
  void solid(std::string name) { surface_.solids.push_back(std::move(name)); }
  /// Divides a polygon into triangles: a fan if it is convex, else ear by ear (Meisters 1975) in the plane of its mean
  /// normal. Returns false and adds nothing if it is not convex and has more than `most_corners` corners (the time
  /// grows with their square).
  [[nodiscard]] bool polygon(std::span<const Vector> corners);
  static constexpr std::size_t most_corners = 5000;

  /// What the reader knows beside the triangles.
  Surface& surface() { return surface_; }
  /// The surface in metres. Throws InputError if there is no triangle or a vertex is too far away.
  Surface finish(const SurfaceFile& file, double metres_per_unit);

 private:
  std::uint32_t number(Vector p);

  struct PointHash {
    std::size_t operator()(const Vector& p) const;
  };
  Surface surface_;
  std::unordered_map<Vector, std::uint32_t, PointHash> number_;
};

}  // namespace weft::geometry::files
