// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/write_surface.hpp"

#include <bit>
#include <cstdint>

namespace weft::geometry {

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

}  // namespace weft::geometry
