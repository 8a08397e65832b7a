// SPDX-License-Identifier: BSD-3-Clause
#include "pack/bzip2_marks.hpp"

#include <cstring>
#include <span>

namespace weft::pack::detail {

std::vector<Bzip2Mark> bzip2_marks(View bytes) {
  std::vector<Bzip2Mark> marks;
  for (std::size_t at = 0; at + bzip2_mark_bytes <= bytes.size(); ++at) {
    const auto first = std::to_integer<char>(bytes[at]);
    if (first != bzip2_block_mark[0] && first != bzip2_end_mark[0]) continue;
    const bool ends = first == bzip2_end_mark[0];
    const auto& mark = ends ? bzip2_end_mark : bzip2_block_mark;
    if (std::memcmp(bytes.data() + at, mark.data(), mark.size()) != 0) continue;
    std::uint32_t crc = 0;
    for (std::size_t i = mark.size(); i < bzip2_mark_bytes; ++i)
      crc = crc << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
    marks.push_back({.at = at, .crc = crc, .ends_stream = ends});
  }
  return marks;
}

Bytes bzip2_end(std::uint32_t crc) {
  const auto mark = std::as_bytes(std::span(bzip2_end_mark));
  Bytes end(mark.begin(), mark.end());
  for (int shift = 24; shift >= 0; shift -= 8) end.push_back(static_cast<std::byte>(crc >> shift & 255));
  return end;
}

}  // namespace weft::pack::detail
