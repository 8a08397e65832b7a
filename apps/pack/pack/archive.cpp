// SPDX-License-Identifier: BSD-3-Clause
#include "pack/archive.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <ostream>

#include "weft/error.hpp"

namespace weft::pack {
Archive read_archive(const std::filesystem::path& file, std::uint64_t exact_to) {
  const Source source(file);
  Archive archive;
  archive.file_bytes = source.bytes();
  archive.format = format_of(source.piece(0, 13));
  if (archive.format == nullptr)
    throw InputError(file.string() + ": " +
                     (source.bytes() == 0 ? "The file is empty" : "The format of this archive is unknown") +
                     ". Give one of " + format_list() + ".");
  switch (archive.format->kind) {
    case Codec::Kind::zstd: detail::find_zstd(source, exact_to, archive); break;
    case Codec::Kind::bzip2: detail::find_bzip2(source, archive); break;
    case Codec::Kind::xz:
#ifdef WEFT_HAVE_LZMA
      detail::find_xz(source, archive);
#endif
      break;
  }
  constexpr std::uint64_t large = std::uint64_t{256} << 20;
  std::uint64_t from = 0;
  archive.sizes_known = true;
  for (auto& e : archive.entries) {
    e.from = from;
    archive.sizes_known = archive.sizes_known && e.size != Codec::unknown;
    archive.large_parts = archive.large_parts || e.bytes > large || (e.size != Codec::unknown && e.size > 4 * large);
    if (!archive.sizes_known) continue;
    if (e.size >= Codec::unknown - from)
      throw InputError(
          file.string() +
          ": The archive is damaged (its parts can't contain as much as they state). Copy or create it again.");
    from += e.size;
  }
  // The size of a single part of unknown size can't be determined, and no other rank could help with it.
  if (archive.entries.size() == 1 && !archive.sizes_known) archive.large_parts = true;
  return archive;
}

std::filesystem::path index_path(const std::filesystem::path& archive) {
  auto path = archive;
  path += ".index";
  return path;
}

void write_index(std::ostream& out, const std::vector<Entry>& entries) {
  std::uint64_t bytes = 0, size = 0;
  for (const auto& e : entries) {
    bytes += e.bytes;
    size += e.size;
  }
  out << "weft-index 1 bzip2 " << bytes << ' ' << size << '\n';
  for (const auto& e : entries) out << e.bytes << ' ' << e.size << '\n';
}

namespace {

// False if it is not weft's, or incomplete.
bool read_index(std::istream& in, std::uint64_t file_bytes, std::vector<Entry>& entries) {
  std::string word, format;
  int version = 0;
  std::uint64_t bytes = 0, size = 0;
  if (!(in >> word >> version >> format >> bytes >> size) || word != "weft-index" || version != 1 || format != "bzip2")
    return false;
  Entry e;
  std::uint64_t at = 0, from = 0;
  while (in >> e.bytes >> e.size) {
    if (e.bytes > bytes - at || e.size > size - from) return false;
    e.at = at;
    at += e.bytes;
    from += e.size;
    entries.push_back(e);
  }
  return in.eof() && at == bytes && from == size && bytes == file_bytes;
}

// The offsets of "BZh", a digit, and the magic number of a block or of the stream's end.
std::vector<std::uint64_t> streams_in(const Source& source) {
  constexpr std::size_t head = 10, piece = std::size_t{1} << 20;
  std::vector<std::uint64_t> starts;
  for (std::uint64_t from = 0; from + head <= source.bytes(); from += piece) {
    const auto bytes = source.piece(from, piece + head - 1);  // heads that begin in this piece
    for (std::size_t at = 0; at + head <= bytes.size(); at += 3) {
      const auto* found = static_cast<const std::byte*>(::memmem(bytes.data() + at, bytes.size() - at, "BZh", 3));
      if (found == nullptr) break;
      at = static_cast<std::size_t>(found - bytes.data());
      if (at + head <= bytes.size() && found[3] >= std::byte{'1'} && found[3] <= std::byte{'9'} &&
          (std::memcmp(found + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
           std::memcmp(found + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0))
        starts.push_back(from + at);
    }
  }
  return starts;
}

}  // namespace

void detail::find_bzip2(const Source& source, Archive& archive) {
  const auto index = index_path(source.file());
  if (std::ifstream in(index); in.is_open()) {
    if (read_index(in, source.bytes(), archive.entries)) return;
    throw InputError(
        index.string() + ": This is not the index of " + source.name() +
        " (the archive is truncated, or newer than the index). Remove the index; the archive can be read without it.");
  }
  auto starts = streams_in(source);
  // A file that does not begin with a stream is damaged or too short for one: decompression will report it.
  if (starts.empty() || starts.front() != 0) starts.insert(starts.begin(), 0);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto end = i + 1 < starts.size() ? starts[i + 1] : source.bytes();
    archive.entries.push_back({.at = starts[i], .bytes = end - starts[i]});
  }
}

}  // namespace weft::pack
