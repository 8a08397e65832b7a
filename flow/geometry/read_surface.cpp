// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/read_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "geometry/files/formats.hpp"
#include "weft/file/read_text.hpp"
#include "weft/file/read_whole.hpp"

namespace weft::geometry {

namespace {

using files::SurfaceFile;

std::string extension_of(const std::filesystem::path& path) {
  auto text = path.extension().string();
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return text;
}

using Reader = void (*)(const SurfaceFile&, files::SurfaceBuilder&);

// By the content of the file; by its name if the content does not identify the format.
Reader reader_of(const SurfaceFile& file) {
  const std::string_view text = file.bytes;
  if (files::is_ply(text)) return files::read_ply;
  if (files::is_vtp(text)) return files::read_vtp;
  if (files::is_stl(text)) return files::read_stl;
  if (files::is_obj(text)) return files::read_obj;
  if (text.starts_with("# vtk DataFile"))
    file.refuse(
        "This is a legacy VTK file (weft reads STL, VTP, PLY and OBJ). Save it as VTP, VTK's XML format of PolyData.");
  if (text.starts_with("{") && text.find("\"file-series-version\"") != std::string_view::npos)
    file.refuse(files::series_of_surfaces);
  const auto extension = extension_of(file.path);
  constexpr std::array<std::pair<std::string_view, Reader>, 4> readers = {
      {{".stl", files::read_stl}, {".vtp", files::read_vtp}, {".ply", files::read_ply}, {".obj", files::read_obj}}};
  for (const auto& [name, reader] : readers)
    if (name == extension) return reader;
  file.refuse(
      "The format of this surface is unknown (the content is not STL, VTP, PLY or OBJ, and the name does not end in "
      ".stl, .vtp, .ply or .obj). Export the surface in one of these formats.");
}

// Text is made plain. Binary files stay as they are; each of them has zero bytes.
void make_text_plain(SurfaceFile& file) {
  const bool is_wide = has_wide_mark(file.bytes) && !files::is_stl(file.bytes);
  if (is_wide || file.bytes.find('\0') == std::string::npos) make_plain(file.bytes, file.path);
}

}  // namespace

Surface read_surface(const std::filesystem::path& path, double metres_per_unit) {
  SurfaceFile file{path, {}};
  if (!(metres_per_unit > 0) || !std::isfinite(metres_per_unit))
    file.refuse("One unit of the file is " + std::to_string(metres_per_unit) +
                " m (it must be a positive number). Give the length of one unit in metres.");
  file.bytes = read_whole(path, "Give the file of a surface (STL, VTP, PLY or OBJ).");
  make_text_plain(file);
  if (file.bytes.empty()) file.refuse("The file is empty. Export the surface again.");
  if (file.bytes.starts_with("\xEF\xBB\xBF") && !files::is_stl(file.bytes)) file.bytes.erase(0, 3);  // UTF-8's mark
  files::SurfaceBuilder builder;
  reader_of(file)(file, builder);
  return builder.finish(file, metres_per_unit);
}

}  // namespace weft::geometry
