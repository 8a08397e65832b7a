// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::program {

/// The CRC-32 of zlib, PNG and Ethernet (polynomial 0xEDB88320, reflected). `before` is the CRC of the preceding bytes,
/// 0 for none. Pure.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace weft::program
