// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/read_surface.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "geometry/files/surface_builder.hpp"
#include "weft/file/read_text.hpp"
#include "weft/file/read_whole.hpp"
#include "weft/file/whole_file.hpp"

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

static_assert(std::endian::native == std::endian::little, "the file is written as it is in memory");

void write_ply(std::ostream& out, const Surface& surface, std::string_view comment) {
  const auto put = [&](const auto& value) { out.write(reinterpret_cast<const char*>(&value), sizeof value); };
  out << "ply\nformat binary_little_endian 1.0\ncomment " << comment << "\nelement vertex " << surface.vertices.size()
      << "\nproperty double x\nproperty double y\nproperty double z\nelement face " << surface.triangles.size()
      << "\nproperty list uchar uint vertex_indices\nend_header\n";
  for (const auto& v : surface.vertices) put(v);
  for (const auto& t : surface.triangles) {
    put(std::uint8_t{3});
    put(t);
  }
}

std::string series_text(const std::filesystem::path& surface) {
  const auto without_number = [](const std::filesystem::path& file) {
    auto stem = file.stem().string();
    stem.erase(stem.find_last_not_of("0123456789") + 1);
    return stem;
  };
  const auto stem = without_number(surface);
  if (stem == surface.stem().string()) return {};
  std::vector<std::string> names;
  std::error_code error;
  const auto folder = surface.has_parent_path() ? surface.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto& file = entry.path();
    if (file.extension() == surface.extension() && file.stem().string() != stem && without_number(file) == stem)
      names.push_back(file.filename().string());
  }
  if (names.size() < 2) return {};
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return std::pair(a.size(), a) < std::pair(b.size(), b); });
  return surface.filename().string() + " is one of " + std::to_string(names.size()) + " surfaces, " + names.front() +
         " to " + names.back() + ". Only this one is read: if they are a moving wall, it stands still here.";
}

void write_stl(const std::filesystem::path& file, const Surface& surface) {
  WholeFile out(file);
  char header[80] = "a vessel that weft made, in mm";
  const auto count = static_cast<std::uint32_t>(surface.triangles.size());
  const auto put = [&](const void* from, std::size_t bytes) {
    out.stream().write(static_cast<const char*>(from), static_cast<std::streamsize>(bytes));
  };
  put(header, sizeof header);
  put(&count, sizeof count);
  for (const auto& t : surface.triangles) {
    const auto &a = surface.vertices[t[0]], &b = surface.vertices[t[1]], &c = surface.vertices[t[2]];
    const auto normal = normalised(cross(b - a, c - a));
    float numbers[12];
    for (std::size_t d = 0; d < 3; ++d) numbers[d] = static_cast<float>(normal[d]);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t d = 0; d < 3; ++d) numbers[3 + 3 * k + d] = static_cast<float>(1e3 * surface.vertices[t[k]][d]);
    const std::uint16_t attributes = 0;
    put(numbers, sizeof numbers);
    put(&attributes, sizeof attributes);
  }
  out.finish();
}

}  // namespace weft::geometry
