// SPDX-License-Identifier: BSD-3-Clause
#include "bench/workload/surface_file.hpp"

#include <cstdint>

#include "weft/file/whole_file.hpp"

namespace weft::bench {

using geometry::operator-;

void write_stl(const std::filesystem::path& file, const geometry::Surface& surface) {
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
    const auto normal = geometry::normalised(geometry::cross(b - a, c - a));
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

void write_text(const std::filesystem::path& file, const std::string& text) {
  WholeFile out(file);
  out.stream() << text;
  out.finish();
}

}  // namespace weft::bench
