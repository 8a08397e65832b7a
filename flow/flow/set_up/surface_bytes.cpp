// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/surface_bytes.hpp"

#include <bit>
#include <cstdint>

namespace weft::flow {

namespace {

void append(std::string& bytes, std::uint32_t number) {
  for (int k = 0; k < 4; ++k) bytes += static_cast<char>(number >> (8 * k) & 0xff);
}

}  // namespace

std::string surface_bytes(const geometry::Surface& surface, double per_metre) {
  std::string bytes;
  bytes.reserve(8 + 12 * (surface.vertices.size() + surface.triangles.size()));
  append(bytes, static_cast<std::uint32_t>(surface.vertices.size()));
  append(bytes, static_cast<std::uint32_t>(surface.triangles.size()));
  for (const auto& vertex : surface.vertices)
    for (const double x : vertex) append(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(x * per_metre)));
  for (const auto& triangle : surface.triangles)
    for (const auto corner : triangle) append(bytes, corner);
  return bytes;
}

}  // namespace weft::flow
