// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pack/codec.hpp"
#include "weft/bytes.hpp"

namespace weft::pack {

/// A regular file that is read at any place. It is not mapped: if another program shortened it, reading would end this
/// program (SIGBUS).
class Source {
 public:
  /// Throws InputError unless it is a regular file that can be read.
  explicit Source(std::filesystem::path file);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const std::filesystem::path& file() const { return file_; }
  std::string name() const { return file_.string(); }
  std::uint64_t bytes() const { return bytes_; }

  /// Fills `out` from an offset. Throws InputError if the file has become shorter.
  void read(std::uint64_t from, std::span<std::byte> out) const;
  /// At most `most` bytes from an offset; fewer only at the file's end.
  Bytes piece(std::uint64_t from, std::uint64_t most) const;

 private:
  std::filesystem::path file_;
  std::uint64_t bytes_ = 0;
  int descriptor_ = -1;
};

/// A part of an archive that can be read independently: a frame (zstd), a block or a stream (bzip2, xz).
struct Entry {
  std::uint64_t at = 0, bytes = 0;                ///< in the archive
  std::uint64_t from = 0, size = Codec::unknown;  ///< range of its content; `from` is known if all sizes before it are
  std::uint32_t crc = 0;                          ///< gzip: of the content of a part with a size
};

struct Archive {
  const Format* format = nullptr;
  std::uint64_t file_bytes = 0;
  std::vector<Entry> entries;
  int xz_check = usual_xz_check;  ///< xz: the kind of checksum of all blocks
  bool sizes_known = false;       ///< of all entries: a range can be read without the rest
  /// It has one part, or one too large for memory: one rank must read it from end to end.
  bool large_parts = false;

  std::uint64_t content_bytes() const { return entries.empty() ? 0 : entries.back().from + entries.back().size; }
};

/// Finds the parts of an archive. For weft's own archives by the index: zstd's seek table (the format's "seekable"
/// contribution), gzip's empty members behind it, xz's own index, for bzip2 the file beside it. For others by searching
/// for frames, which several threads' or processes' tools write. Reads little of the file, except for bzip2 without an
/// index. Throws InputError with the file: not an archive, truncated, damaged, or an index of another file.
///
/// zstd's seek table may be wrong where the frames are right. The caller must decompress each part, which verifies that
/// it is one frame of the stated size; for parts that it leaves out it gives `exact_to`: the frames of the content up
/// to there are followed from block to block. With `exact_to` = Codec::unknown no index is used, bzip2's neither.
Archive read_archive(const std::filesystem::path& file, std::uint64_t exact_to = 0);

/// The format of an archive with these first bytes. Throws InputError with the archive's name if it is none.
const Format& format_of_archive(const std::string& name, View first_bytes);
constexpr std::size_t first_bytes_of_archive = 13;

/// The seek table, a skippable frame for zstd: sizes of up to 4 GiB, without checksums (the frames have their own).
void write_seek_table(std::ostream& out, const std::vector<Entry>& entries);

/// The index beside a bzip2 archive, a text: "weft-index 1 bzip2 BYTES SIZE", then "BYTES SIZE" of each part, 0 for the
/// stream's head and end.
std::filesystem::path index_path(const std::filesystem::path& archive);
void write_index(std::ostream& out, const std::vector<Entry>& entries);

namespace detail {
void find_zstd(const Source& source, std::uint64_t exact_to, Archive& archive);
void find_bzip2(const Source& source, std::uint64_t exact_to, Archive& archive);
void find_gzip(const Source& source, Archive& archive);
void find_xz(const Source& source, Archive& archive);

/// A member of gzip: magic number, deflate, no name, no time, of Unix.
constexpr std::string_view gzip_head("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
/// The end of a member of these blocks: an empty deflate block, checksum, and size.
Bytes gzip_end(const std::vector<Entry>& blocks);
/// The index of weft's archives in gzip's format, behind their only member: empty members, each of which has
/// { bytes, size, checksum } of up to 5000 blocks in an extra field "WF", the last one also the number of all blocks.
Bytes gzip_index(const std::vector<Entry>& blocks);
}  // namespace detail

}  // namespace weft::pack
