// SPDX-License-Identifier: BSD-3-Clause
//
// zstd's seekable format, as zstd's contrib/seekable_format describes it: a skippable frame at the end of the file,
// { 0x184D2A5E, frame's bytes, { compressed, decompressed [, checksum] } of each frame, count, descriptor, 0x8F92EAB1
// }.
#include <zstd.h>
#include <zstd_errors.h>

#include <optional>
#include <ostream>

#include "pack/archive.hpp"
#include "weft/error.hpp"

namespace weft::pack {
namespace {

constexpr std::uint32_t table_magic = 0x184D2A5E, footer_magic = 0x8F92EAB1;

std::uint32_t u32(View bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<std::uint32_t>(bytes[at + i]);
  return value;
}

void put32(std::ostream& out, std::uint64_t value) {
  for (int i = 0; i < 4; ++i) out.put(static_cast<char>(value >> (8 * i) & 255));
}

bool is_skippable(View frame) { return frame.size() >= 4 && (u32(frame, 0) & 0xfffffff0U) == 0x184D2A50U; }

// The content size stated by a frame; nothing if it is invalid; `unknown` if the frame states none.
std::optional<std::uint64_t> size_of_frame(View frame) {
  if (is_skippable(frame)) return 0;
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) return {};
  return size == ZSTD_CONTENTSIZE_UNKNOWN ? Codec::unknown : size;
}

enum class Table : std::uint8_t { none, good, wrong };

// Wrong: the table or a frame is damaged, since an entry differs from the frame's own statement. Sizes that a frame
// does not state are not trusted: an error in one would shift all that follows.
Table read_seek_table(View bytes, std::vector<Entry>& entries) {
  const auto n = bytes.size();
  if (n < 17 || u32(bytes, n - 4) != footer_magic) return Table::none;
  const std::uint64_t count = u32(bytes, n - 9);
  const std::uint64_t row = (std::to_integer<unsigned>(bytes[n - 5]) & 0x80U) != 0 ? 12 : 8;
  const auto table = 8 + count * row + 9;
  if (table > n || u32(bytes, n - table) != table_magic || u32(bytes, n - table + 4) != table - 8) return Table::wrong;
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto from = n - table + 8 + i * row;
    Entry e{.at = at, .bytes = u32(bytes, from), .size = u32(bytes, from + 4)};
    if (e.bytes > n - table - at) return Table::wrong;
    const auto size = size_of_frame(bytes.subspan(at, e.bytes));
    if (!size || (*size != Codec::unknown && *size != e.size)) return Table::wrong;
    e.size = *size;
    at += e.bytes;
    if (e.size > 0 || count == 1) entries.push_back(e);
  }
  return at + table == n ? Table::good : Table::wrong;
}

}  // namespace

void detail::find_zstd(const std::string& name, View bytes, Archive& archive) {
  const auto table = read_seek_table(bytes, archive.entries);
  if (table == Table::good) return;
  archive.entries.clear();
  for (std::size_t at = 0; at < bytes.size();) {
    const auto rest = bytes.subspan(at);
    const auto n = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    if (ZSTD_isError(n)) {
      const bool cut = ZSTD_getErrorCode(n) == ZSTD_error_srcSize_wrong;
      throw InputError(name + ": " + (cut ? "The archive is truncated" : "The archive is damaged") +
                       " (the zstd frame at byte " + std::to_string(at) +
                       (cut ? " has no end" : std::string(": ") + ZSTD_getErrorName(n)) + "). Create it again.");
    }
    if (!is_skippable(rest))
      archive.entries.push_back({.at = at, .bytes = n, .size = size_of_frame(rest).value_or(Codec::unknown)});
    at += n;
  }
  // Only decompression shows which of the two is damaged: a range is cut while everything before it is read.
  if (table == Table::wrong)
    for (auto& e : archive.entries) e.size = Codec::unknown;
}

void write_seek_table(std::ostream& out, const std::vector<Entry>& entries) {
  put32(out, table_magic);
  put32(out, 8 * entries.size() + 9);
  for (const auto& e : entries) {
    put32(out, e.bytes);
    put32(out, e.size);
  }
  put32(out, entries.size());
  out.put('\0');  // descriptor: without checksums
  put32(out, footer_magic);
}

}  // namespace weft::pack
