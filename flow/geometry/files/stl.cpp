// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "geometry/files/surface_builder.hpp"

namespace weft::geometry::files {

namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is little-endian");

constexpr std::size_t header_bytes = 84;
constexpr std::size_t triangle_bytes = 50;

// The number of triangles in the header of a binary file.
std::uint32_t triangles_of(std::string_view content) {
  std::uint32_t count = 0;
  if (content.size() >= header_bytes) std::memcpy(&count, content.data() + header_bytes - sizeof count, sizeof count);
  return count;
}

std::uint64_t bytes_of(std::uint32_t triangles) { return header_bytes + std::uint64_t{triangle_bytes} * triangles; }

void read_binary_stl(const SurfaceFile& file, SurfaceBuilder& builder) {
  const auto& bytes = file.bytes;
  const std::size_t count = triangles_of(bytes);
  builder.expect(count);
  builder.surface().trailing_bytes = bytes.size() - bytes_of(triangles_of(bytes));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t offset = header_bytes + i * triangle_bytes;
    std::array<float, 12> numbers{};  // normal, then three corners
    std::memcpy(numbers.data(), bytes.data() + offset, sizeof numbers);
    std::array<Vector, 3> corners{};
    for (std::size_t k = 0; k < 9; ++k) {
      const double c = numbers[3 + k];
      if (!std::isfinite(c))
        file.refuse_byte(offset + 12 + 4 * k, "A coordinate is not a finite number (triangle " + std::to_string(i) +
                                                  "). Repair the surface.");
      corners[k / 3][k % 3] = c;
    }
    builder.triangle(corners);
  }
}

void read_ascii_stl(const SurfaceFile& file, SurfaceBuilder& builder) {
  constexpr std::size_t least_facet_bytes = 60;  // of one facet in any spelling
  builder.expect(file.bytes.size() / least_facet_bytes);
  Words words(file, file.bytes, "ASCII STL");
  bool inside = false;  // within a solid; a file may contain several
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    if (!inside && Words::same(word, "solid")) {
      builder.solid(std::string(words.rest_of_line()));
      inside = true;
    } else if (inside && Words::same(word, "endsolid")) {
      words.skip_line();
      inside = false;
    } else if (inside && Words::same(word, "facet")) {
      words.expect("normal");
      for (int k = 0; k < 3; ++k) words.next();  // often wrong, never needed
      words.expect("outer");
      words.expect("loop");
      std::array<Vector, 3> corners{};
      for (auto& corner : corners) {
        words.expect("vertex");
        for (auto& c : corner) c = words.number();
      }
      words.expect("endloop");
      words.expect("endfacet");
      builder.triangle(corners);
    } else {
      words.unexpected(word, inside ? "facet" : "solid");
    }
  }
  if (inside) words.unexpected({}, "endsolid");
}

bool is_binary_stl(std::string_view content) {
  return content.size() >= header_bytes && content.size() == bytes_of(triangles_of(content));
}

// Some programs write more after the last triangle: colours, or a byte to fill up.
bool has_all_triangles(std::string_view content) {
  return triangles_of(content) > 0 && content.size() > bytes_of(triangles_of(content));
}

bool is_followed_by_another(std::string_view content) {
  const auto rest = content.substr(bytes_of(triangles_of(content)));
  return rest.size() >= header_bytes && triangles_of(rest) > 0 && rest.size() >= bytes_of(triangles_of(rest));
}

bool is_ascii_stl(std::string_view content) {
  const auto first = content.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && Words::same(content.substr(first, 5), "solid") &&
         content.substr(0, 4096).find('\0') == std::string_view::npos;
}

}  // namespace

// Distinguished by the size, not by the first word: binary files may also begin with "solid".
bool is_stl(std::string_view content) { return is_binary_stl(content) || is_ascii_stl(content); }

void read_stl(const SurfaceFile& file, SurfaceBuilder& builder) {
  const auto& bytes = file.bytes;
  if (bytes.size() / triangle_bytes > std::numeric_limits<std::uint32_t>::max() / 3)
    file.refuse("The surface has more than 2^32 corners (corners are numbered with 32 bits). Coarsen the surface.");
  if (is_binary_stl(bytes)) return read_binary_stl(file, builder);
  if (is_ascii_stl(bytes)) return read_ascii_stl(file, builder);
  if (has_all_triangles(bytes)) {
    if (is_followed_by_another(bytes))
      file.refuse("The file has several binary STL files in it, one after another. Write their triangles as one.");
    return read_binary_stl(file, builder);
  }
  if (bytes.size() < header_bytes)
    file.refuse(
        "This is neither an ASCII STL file (which begins with \"solid\") nor a binary one (which has at least 84 "
        "bytes; this has " +
        std::to_string(bytes.size()) + "). Export the surface again.");
  const auto count = triangles_of(bytes);
  file.refuse_byte(80, "The header announces " + std::to_string(count) + " triangles, which need " +
                           std::to_string(bytes_of(count)) + " bytes, but the file has " +
                           std::to_string(bytes.size()) +
                           (bytes.size() > bytes_of(count) ? " (its count is wrong, or it is no STL file)"
                                                           : " (truncated, or not an STL file)") +
                           ". Export the surface again.");
}

}  // namespace weft::geometry::files
