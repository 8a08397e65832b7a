// SPDX-License-Identifier: BSD-3-Clause
#include "program/bytes.hpp"

#include <zlib.h>

namespace weft::program {

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace weft::program
