// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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

// The formats of surfaces, one file per format: a test whether content has the format, and a reader of its triangles in
// the file's units.

/// The refusal of ParaView's lists of files (.pvd, .series).
inline constexpr const char* series_of_surfaces =
    "This is a list of surfaces, such as the frames of a moving wall (weft computes in a vessel whose wall stands "
    "still). Give one of the files in it.";

bool is_stl(std::string_view content);
bool is_vtp(std::string_view content);
bool is_ply(std::string_view content);
/// OBJ has no magic number: its first line that is not a comment begins with one of its keywords.
bool is_obj(std::string_view content);

/// Throw InputError with the file and the line or byte.
void read_stl(const SurfaceFile& file, SurfaceBuilder& builder);
void read_vtp(const SurfaceFile& file, SurfaceBuilder& builder);
void read_ply(const SurfaceFile& file, SurfaceBuilder& builder);
void read_obj(const SurfaceFile& file, SurfaceBuilder& builder);

}  // namespace weft::geometry::files
