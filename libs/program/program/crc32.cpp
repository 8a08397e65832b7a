// SPDX-License-Identifier: BSD-3-Clause
#include "program/crc32.hpp"

#include <array>

namespace weft::program {
namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[t][b]: what byte b leaves behind after t more bytes of zeros.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t c = b;
    for (int bit = 0; bit < 8; ++bit) c = c >> 1 ^ (c & 1 ? 0xEDB88320U : 0U);
    tables[0][b] = c;
  }
  for (std::size_t t = 1; t < 8; ++t)
    for (std::size_t b = 0; b < 256; ++b) tables[t][b] = tables[t - 1][b] >> 8 ^ tables[0][tables[t - 1][b] & 255];
  return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t c = ~before;
  const auto* p = bytes.data();
  std::size_t left = bytes.size();
  const auto at = [&p](std::size_t i) { return std::to_integer<std::uint32_t>(p[i]); };
  for (; left >= 8; left -= 8, p += 8) {
    c ^= at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24;
    c = tables[7][c & 255] ^ tables[6][c >> 8 & 255] ^ tables[5][c >> 16 & 255] ^ tables[4][c >> 24] ^
        tables[3][at(4)] ^ tables[2][at(5)] ^ tables[1][at(6)] ^ tables[0][at(7)];
  }
  for (; left > 0; --left, ++p) c = c >> 8 ^ tables[0][(c ^ at(0)) & 255];
  return ~c;
}

}  // namespace weft::program
