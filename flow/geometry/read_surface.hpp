// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>

#include "geometry/surface.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// Reads a surface: STL (ASCII, binary), VTP (VTK's XML of PolyData: ASCII, binary, appended, compressed by zlib), PLY
/// (ASCII, binary of both byte orders) or OBJ. The content determines the format; the name only if the content does
/// not. Polygons and strips become triangles, equal vertices are merged. No format contains its unit: `metres_per_unit`
/// is the length of one unit of the file. Throws InputError with the file and the line or byte. Memory: a few times the
/// file; a malicious file can't allocate more than its size justifies.
Surface read_surface(const std::filesystem::path& path, double metres_per_unit);

/// Writes a surface as binary PLY with coordinates in double precision, so that read_surface reads the same triangles.
/// `comment`: one line.
void write_ply(std::ostream& out, const Surface& surface, std::string_view comment);

/// Writes a surface as binary STL in mm; the file appears only when it is complete. Throws InputError.
void write_stl(const std::filesystem::path& file, const Surface& surface);

/// What to say about a surface that is one of a series, such as the frames of a moving wall: files of its folder whose
/// names differ from its own only in the number at the end. Empty if it is not. Lists the folder.
std::string series_text(const std::filesystem::path& surface);

}  // namespace geometry
}  // namespace weft
