// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>

#include "pack/archive.hpp"

namespace weft::pack {
namespace {

constexpr std::size_t blocks_of_member = 5000, row_bytes = 12, count_bytes = 8, end_bytes = 10;
constexpr std::size_t extra_bytes = 6;  // length of the extra fields, "WF", length
constexpr std::size_t around_bytes = detail::gzip_head.size() + extra_bytes + end_bytes;

void put(Bytes& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i) & 255));
}

std::uint64_t number(View bytes, std::size_t at, std::size_t n) {
  std::uint64_t value = 0;
  for (std::size_t i = n; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

std::size_t members_for(std::uint64_t blocks) {
  return std::max<std::size_t>(1, (blocks + blocks_of_member - 1) / blocks_of_member);
}

// Nothing if the file does not end in an index of the blocks before it.
std::vector<Entry> read_gzip_index(const Source& source) {
  const auto n = source.bytes();
  if (n < around_bytes + count_bytes) return {};
  const auto count = number(source.piece(n - end_bytes - count_bytes, count_bytes), 0, count_bytes);
  if (count > n / row_bytes) return {};
  const auto index_bytes = members_for(count) * around_bytes + count * row_bytes + count_bytes;
  if (index_bytes + detail::gzip_head.size() + end_bytes > n) return {};
  const auto index = source.piece(n - index_bytes, index_bytes);
  std::vector<Entry> blocks;
  std::uint64_t at = detail::gzip_head.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto row =
        i * row_bytes + (i / blocks_of_member + 1) * around_bytes - end_bytes;  // behind as many heads, and ends
    blocks.push_back({.at = at,
                      .bytes = number(index, row, 4),
                      .size = number(index, row + 4, 4),
                      .crc = static_cast<std::uint32_t>(number(index, row + 8, 4))});
    at += blocks.back().bytes;
  }
  // All of the index and of the member's end follows from the rows.
  if (at + end_bytes + index_bytes != n || index != detail::gzip_index(blocks) ||
      source.piece(at, end_bytes) != detail::gzip_end(blocks))
    return {};
  return blocks;
}

}  // namespace

Bytes detail::gzip_end(const std::vector<Entry>& blocks) {
  Bytes out;
  uLong crc = 0;
  std::uint64_t size = 0;
  for (const auto& b : blocks) {
    crc = crc32_combine(crc, b.crc, static_cast<z_off_t>(b.size));
    size += b.size;
  }
  put(out, 3, 2);
  put(out, crc, 4);
  put(out, size, 4);
  return out;
}

Bytes detail::gzip_index(const std::vector<Entry>& blocks) {
  Bytes out;
  for (std::size_t m = 0; m < members_for(blocks.size()); ++m) {
    const auto from = m * blocks_of_member, to = std::min(blocks.size(), from + blocks_of_member);
    const auto bytes = (to - from) * row_bytes + (to == blocks.size() ? count_bytes : 0);
    const auto head = std::as_bytes(std::span(gzip_head));
    out.insert(out.end(), head.begin(), head.end());
    out[out.size() - head.size() + 3] = std::byte{4};  // has extra fields
    put(out, bytes + 4, 2);
    put(out, 'W' | 'F' << 8, 2);
    put(out, bytes, 2);
    for (auto i = from; i < to; ++i) {
      put(out, blocks[i].bytes, 4);
      put(out, blocks[i].size, 4);
      put(out, blocks[i].crc, 4);
    }
    if (to == blocks.size()) put(out, blocks.size(), count_bytes);
    const auto end = gzip_end({});
    out.insert(out.end(), end.begin(), end.end());
  }
  return out;
}

void detail::find_gzip(const Source& source, Archive& archive) {
  const auto head = std::as_bytes(std::span(gzip_head));
  if (std::ranges::equal(source.piece(0, head.size()), head)) archive.entries = read_gzip_index(source);
  std::erase_if(archive.entries, [](const Entry& e) { return e.size == 0; });
  if (archive.entries.empty()) archive.entries.push_back({.at = 0, .bytes = source.bytes()});
}

}  // namespace weft::pack
