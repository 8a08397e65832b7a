// SPDX-License-Identifier: BSD-3-Clause
//
// zstd's seekable format, as zstd's contrib/seekable_format describes it: a skippable frame at the end of the file,
// { 0x184D2A5E, frame's bytes, { compressed, decompressed [, checksum] } of each frame, count, descriptor, 0x8F92EAB1
// }.
#include <zstd.h>

#include <array>
#include <optional>
#include <ostream>

#include "pack/archive.hpp"
#include "pack/container.hpp"
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

bool is_skippable(View head) { return head.size() >= 4 && (u32(head, 0) & 0xfffffff0U) == 0x184D2A50U; }

// Whether four bytes, or fewer at the end of a file, may be the beginning of a frame.
bool may_begin_frame(View head) { return head.size() < 4 || u32(head, 0) == ZSTD_MAGICNUMBER || is_skippable(head); }

struct Frame {
  std::uint64_t size = Codec::unknown;  // content that it states
  std::size_t head_bytes = 0;
  bool skippable = false, checksum = false;
  std::uint64_t bytes = 0;  // skippable: of the frame
};

// The head of the frame at `at`; nothing if there is none, or the file ends in it.
std::optional<Frame> frame_at(const Source& source, std::uint64_t at) {
  constexpr std::size_t longest = 18;
  const auto head = source.piece(at, longest);
  if (head.size() < 5) return {};
  if (is_skippable(head)) {
    if (head.size() < 8) return {};
    return Frame{.size = 0, .skippable = true, .bytes = 8 + std::uint64_t{u32(head, 4)}};
  }
  const auto size = ZSTD_getFrameContentSize(head.data(), head.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) return {};
  const auto flags = std::to_integer<unsigned>(head[4]);
  const bool one_segment = (flags & 0x20U) != 0;
  constexpr std::array<std::size_t, 4> of_dictionary{0, 1, 2, 4}, of_size{0, 2, 4, 8};
  const auto size_bytes = flags >> 6 == 0 && one_segment ? 1 : of_size[flags >> 6];
  return Frame{.size = size == ZSTD_CONTENTSIZE_UNKNOWN ? Codec::unknown : size,
               .head_bytes = 5 + (one_segment ? 0U : 1U) + of_dictionary[flags & 3U] + size_bytes,
               .checksum = (flags & 4U) != 0};
}

bool is_start(const Source& source, std::uint64_t at) {
  return detail::is_zstd_start(source.piece(at, detail::zstd_start_bytes));
}

enum class Trouble : std::uint8_t { none, truncated, damaged };

// The length of the frame at `at`, from block to block.
std::uint64_t length_of(const Source& source, std::uint64_t at, const Frame& frame, Trouble& trouble) {
  if (frame.skippable) {
    if (frame.bytes > source.bytes() - at) trouble = Trouble::truncated;
    return frame.bytes;
  }
  auto end = at + frame.head_bytes;
  for (bool last = false; !last;) {
    const auto head = source.piece(end, 3);
    if (head.size() < 3) {
      trouble = Trouble::truncated;
      return 0;
    }
    const auto block = std::to_integer<unsigned>(head[0]) | std::to_integer<unsigned>(head[1]) << 8 |
                       std::to_integer<unsigned>(head[2]) << 16;
    const auto kind = block >> 1 & 3U;
    if (kind == 3) {
      trouble = Trouble::damaged;
      return 0;
    }
    last = (block & 1U) != 0;
    end += 3 + (kind == 1 ? 1 : block >> 3);  // a run of one byte has one
  }
  end += frame.checksum ? 4 : 0;
  if (end > source.bytes()) trouble = Trouble::truncated;
  return end - at;
}

enum class Table : std::uint8_t { none, good, wrong };

// Wrong: the table or a frame is damaged, since an entry differs from the frame's own statement. Sizes that a frame
// does not state are not trusted: an error in one would shift all that follows. Whether a frame ends where its entry
// does is tested for the content up to `exact_to`; decompression tests it for all others.
Table read_seek_table(const Source& source, std::uint64_t exact_to, std::vector<Entry>& entries) {
  const auto n = source.bytes();
  constexpr std::size_t foot = 9;
  if (n < 8 + foot) return Table::none;
  const auto end = source.piece(n - foot, foot);
  if (u32(end, 5) != footer_magic) return Table::none;
  const std::uint64_t count = u32(end, 0);
  const std::uint64_t row = (std::to_integer<unsigned>(end[4]) & 0x80U) != 0 ? 12 : 8;
  const auto table_bytes = 8 + count * row + foot;
  if (table_bytes > n) return Table::wrong;
  const auto head = source.piece(n - table_bytes, 8);
  if (u32(head, 0) != table_magic || u32(head, 4) != table_bytes - 8) return Table::wrong;
  const auto table = source.piece(n - table_bytes, table_bytes);
  std::uint64_t at = 0, from = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Entry e{.at = at, .bytes = u32(table, 8 + i * row), .size = u32(table, 8 + i * row + 4)};
    if (e.bytes > n - table_bytes - at) return Table::wrong;
    const auto frame = frame_at(source, at);
    if (!frame || (frame->size != Codec::unknown && frame->size != e.size)) return Table::wrong;
    if (frame->skippable || from < exact_to) {
      auto trouble = Trouble::none;
      if (length_of(source, at, *frame, trouble) != e.bytes || trouble != Trouble::none) return Table::wrong;
    }
    from += e.size;
    e.size = frame->size;
    at += e.bytes;
    if (!frame->skippable && !is_start(source, at - e.bytes)) entries.push_back(e);
  }
  return at + table_bytes == n ? Table::good : Table::wrong;
}

}  // namespace

void detail::find_zstd(const Source& source, std::uint64_t exact_to, Archive& archive) {
  const auto table = read_seek_table(source, exact_to, archive.entries);
  if (table == Table::good) return;
  archive.entries.clear();
  bool needs_table = false;
  for (std::uint64_t at = 0; at < source.bytes();) {
    const auto frame = frame_at(source, at);
    auto trouble = Trouble::none;
    if (!frame) trouble = may_begin_frame(source.piece(at, 4)) ? Trouble::truncated : Trouble::damaged;
    const auto n = frame ? length_of(source, at, *frame, trouble) : 0;
    if (trouble != Trouble::none) {
      const bool cut = trouble == Trouble::truncated;
      throw InputError(source.name() + ": The archive is " + (cut ? "truncated" : "damaged") +
                       " (the zstd frame at byte " + std::to_string(at) +
                       (cut ? " has no end" : " does not follow the format") + "). Copy or create it again.");
    }
    if (const auto head = source.piece(at, zstd_start_bytes); is_seek_table(head)) {
      needs_table = false;
    } else if (is_zstd_start(head)) {
      if (needs_table) break;
      needs_table = true;
    } else if (!frame->skippable) {
      archive.entries.push_back({.at = at, .bytes = n, .size = frame->size});
    }
    at += n;
  }
  if (needs_table)
    throw InputError(source.name() +
                     ": The archive is truncated (it ends between two frames, before its seek table). Copy or create "
                     "it again.");
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
