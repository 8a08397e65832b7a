// SPDX-License-Identifier: BSD-3-Clause
#include "pack/archive.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>
#include <utility>

#include "pack/bzip2_marks.hpp"
#include "weft/error.hpp"
#include "weft/file/read_whole.hpp"

namespace weft::pack {
namespace {

constexpr const char* archive_advice = "Give an archive.";

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

// A stream as far as its marks show it.
struct Bzip2Stream {
  std::uint64_t from = 0;
  std::vector<detail::Bzip2Mark> marks;
};

// Streams begin with "BZh", a digit, and a mark.
std::vector<Bzip2Stream> bzip2_streams(const Source& source) {
  constexpr std::size_t head = 4, piece_bytes = std::size_t{1} << 20;
  std::vector<Bzip2Stream> streams;
  for (std::uint64_t from = 0; from < source.bytes(); from += piece_bytes) {
    // Marks that begin in this piece, which begins behind the first head.
    const auto piece = source.piece(from, head + piece_bytes + detail::bzip2_mark_bytes - 1);
    for (auto mark : detail::bzip2_marks(View(piece).subspan(std::min(head, piece.size())), piece_bytes)) {
      const auto* before = piece.data() + mark.bit / 8;
      mark.bit += 8 * (from + head);
      const bool begins = mark.bit % 8 == 0 && std::memcmp(before, "BZh", 3) == 0 && before[3] >= std::byte{'1'} &&
                          before[3] <= std::byte{'9'};
      // A file that does not begin with a stream is damaged: decompression will report it.
      if (begins || streams.empty()) streams.push_back({begins ? mark.bit / 8 - head : 0, {}});
      streams.back().marks.push_back(mark);
    }
  }
  if (streams.empty() || streams.front().from != 0) streams.insert(streams.begin(), Bzip2Stream{});
  return streams;
}

// Whether the marks are those of all blocks: the stream's checksum is that of theirs. Data may look like a mark.
bool has_all_marks(const Bzip2Stream& stream, std::uint64_t end) {
  if (stream.marks.empty() || stream.marks.front().bit != 8 * (stream.from + 4)) return false;
  std::uint32_t crc = 0;
  for (const auto& mark : stream.marks) {
    if (mark.ends_stream) return mark.crc == crc && (mark.bit + detail::bzip2_mark_bits + 7) / 8 == end;
    if (mark.is_randomised) return false;
    crc = detail::bzip2_crc(crc, mark.crc);
  }
  return false;
}

}  // namespace

// Opening a pipe would wait for its writer.
Source::Source(std::filesystem::path file) : file_(std::move(file)) {
  descriptor_ = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0)
    throw cannot_read(file_, std::strerror(errno), archive_advice);
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw cannot_read(file_, S_ISDIR(status.st_mode) ? std::strerror(EISDIR) : "it is no regular file", archive_advice);
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

Source::~Source() { ::close(descriptor_); }

void Source::read(std::uint64_t from, std::span<std::byte> out) const {
  while (!out.empty()) {
    const auto n = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(from));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw cannot_read(file_, n < 0 ? std::strerror(errno) : "it has become shorter", archive_advice);
    out = out.subspan(static_cast<std::size_t>(n));
    from += static_cast<std::uint64_t>(n);
  }
}

Bytes Source::piece(std::uint64_t from, std::uint64_t most) const {
  Bytes bytes(std::min(most, bytes_ - std::min(from, bytes_)));
  read(from, bytes);
  return bytes;
}

const Format& format_of_archive(const std::string& name, View first) {
  if (const auto* format = format_of(first)) return *format;
  throw InputError(name + ": " + (first.empty() ? "The file is empty" : "The format of this archive is unknown") +
                   ". Give one of " + format_list() + ".");
}

Archive read_archive(const std::filesystem::path& file, std::uint64_t exact_to) {
  const Source source(file);
  Archive archive;
  archive.file_bytes = source.bytes();
  archive.format = &format_of_archive(source.name(), source.piece(0, first_bytes_of_archive));
  switch (archive.format->kind) {
    case Codec::Kind::zstd: detail::find_zstd(source, exact_to, archive); break;
    case Codec::Kind::bzip2: detail::find_bzip2(source, exact_to, archive); break;
    case Codec::Kind::gzip: detail::find_gzip(source, archive); break;
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
  if (archive.entries.size() == 1) archive.large_parts = true;  // no other rank could help with it
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

void detail::find_bzip2(const Source& source, std::uint64_t exact_to, Archive& archive) {
  const auto index = index_path(source.file());
  if (std::ifstream in(index); in.is_open()) {
    if (!read_index(in, source.bytes(), archive.entries))
      throw InputError(index.string() + ": This is not the index of " + source.name() +
                       " (the archive is truncated, or newer than the index). Remove the index; the archive can be "
                       "read without it.");
    std::erase_if(archive.entries, [](const Entry& e) { return e.size == 0; });
    if (exact_to != Codec::unknown) return;
    archive.entries.clear();
  }
  const auto streams = bzip2_streams(source);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto& [from, marks] = streams[i];
    const auto end = i + 1 < streams.size() ? streams[i + 1].from : source.bytes();
    if (!has_all_marks(streams[i], end)) {
      archive.entries.push_back({.at = from, .bytes = end - from});
      continue;
    }
    for (std::size_t k = 0; k + 1 < marks.size(); ++k)
      archive.entries.push_back({.at = marks[k].bit / 8, .bytes = (marks[k + 1].bit + 7) / 8 - marks[k].bit / 8});
  }
}

}  // namespace weft::pack
