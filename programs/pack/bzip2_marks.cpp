// SPDX-License-Identifier: BSD-3-Clause
#include "pack/bzip2_marks.hpp"

#include <array>

namespace weft::pack::detail {
namespace {

// Table k: for a byte followed by k further bytes.
using CrcTables = std::array<std::array<std::uint32_t, 256>, 4>;
constexpr CrcTables make_crc_tables() {
  CrcTables t{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t c = b << 24;
    for (int i = 0; i < 8; ++i) c = (c << 1) ^ ((c >> 31) != 0 ? 0x04c11db7U : 0U);
    t[0][b] = c;
  }
  for (std::size_t k = 1; k < 4; ++k)
    for (std::size_t b = 0; b < 256; ++b) t[k][b] = (t[k - 1][b] << 8) ^ t[0][t[k - 1][b] >> 24];
  return t;
}
constexpr CrcTables crc_tables = make_crc_tables();

// For the third and fourth byte from where a mark begins: bit s is set if it may begin s bits behind it.
std::vector<std::uint8_t> make_candidates() {
  std::vector<std::uint8_t> at(1 << 16);
  for (const auto number : {bzip2_block_number, bzip2_end_number})
    for (unsigned s = 0; s < 8; ++s) at[number >> (16 + s) & 0xffff] |= static_cast<std::uint8_t>(1U << s);
  return at;
}

// 64 bits, zeros behind the end.
std::uint64_t number_at(View bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = at; i < at + 8; ++i)
    number = number << 8 | (i < bytes.size() ? std::to_integer<std::uint64_t>(bytes[i]) : 0);
  return number;
}

}  // namespace

bool is_bzip2_mark(View bytes, unsigned bit, std::uint64_t number) {
  return number_at(bytes, 0) << bit >> 16 == number;
}

std::vector<Bzip2Mark> bzip2_marks(View bytes, std::size_t first) {
  static const auto candidates = make_candidates();
  std::vector<Bzip2Mark> marks;
  for (std::size_t at = 0; at < first && at + 4 <= bytes.size(); ++at) {
    const unsigned found =
        candidates[std::to_integer<std::size_t>(bytes[at + 2]) << 8 | std::to_integer<std::size_t>(bytes[at + 3])];
    for (unsigned s = 0; found >> s != 0; ++s) {
      const auto here = bytes.subspan(at);
      const bool ends = is_bzip2_mark(here, s, bzip2_end_number);
      if (!ends && !is_bzip2_mark(here, s, bzip2_block_number)) continue;
      const auto behind = number_at(here, 4) << s << 16;
      marks.push_back({.bit = 8 * at + s,
                       .crc = static_cast<std::uint32_t>(behind >> 32),
                       .ends_stream = ends,
                       .is_randomised = !ends && (behind >> 31 & 1) != 0});
    }
  }
  return marks;
}

std::uint32_t bzip2_crc(View bytes) {
  std::uint32_t c = 0xffffffffU;
  const auto* p = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t n = bytes.size();
  for (; n >= 4; n -= 4, p += 4) {
    c ^= static_cast<std::uint32_t>(p[0]) << 24 | static_cast<std::uint32_t>(p[1]) << 16 |
         static_cast<std::uint32_t>(p[2]) << 8 | p[3];
    c = crc_tables[3][c >> 24] ^ crc_tables[2][c >> 16 & 255] ^ crc_tables[1][c >> 8 & 255] ^ crc_tables[0][c & 255];
  }
  for (; n > 0; --n) c = (c << 8) ^ crc_tables[0][(c >> 24) ^ *p++];
  return ~c;
}

Bytes bzip2_end(std::uint32_t crc) {
  Bytes end;
  for (int shift = 40; shift >= 0; shift -= 8) end.push_back(static_cast<std::byte>(bzip2_end_number >> shift & 255));
  for (int shift = 24; shift >= 0; shift -= 8) end.push_back(static_cast<std::byte>(crc >> shift & 255));
  return end;
}

}  // namespace weft::pack::detail
