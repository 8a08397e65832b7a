// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/bytes.hpp"

namespace weft::pack {

using View = std::span<const std::byte>;

/// One compressed format. A block is compressed into whole frames (zstd) or blocks (bzip2, xz, gzip) of the format,
/// which can be read independently. A Container makes a file of them that
/// the standard tools read.
///
/// An object belongs to one thread and keeps its working memory. Calls throw weft::Error.
class Codec {
 public:
  enum class Kind : std::uint8_t { zstd, bzip2, xz, gzip };

  virtual ~Codec() = default;

  using Read = std::function<std::size_t(std::span<std::byte>)>;
  using Write = std::function<void(View)>;

  /// Compresses a block; replaces `out`. Any size from 0 to 1 GiB. Returns a number for the Container.
  virtual std::uint64_t compress(View in, Bytes& out) = 0;
  /// Decompresses what compress made, or whole frames or streams; replaces `out`. Verifies the frames' checksums.
  /// `expected_bytes`: size of the output, or `unknown`. If it is given, zstd's part must be exactly one frame: an
  /// index that counts a frame's size for two would hide the second.
  virtual void decompress(View in, std::uint64_t expected_bytes, Bytes& out) = 0;
  /// The same with a size that is known, piece by piece if that is as fast: then less memory is used, and the pieces
  /// are in the cache when they are written.
  virtual void decompress_to(View in, std::uint64_t expected_bytes, const Write& write) {
    decompress(in, expected_bytes, whole_);
    write(whole_);
  }
  /// Decompresses anything in the format, of any size, piece by piece: `read` fills its argument and returns the number
  /// of bytes, 0 at the end; `write` is called with the output.
  virtual void decompress_stream(const Read& read, const Write& write) = 0;

  /// Bytes after the last stream that are not a stream: ignored and counted at the end of a file (the default), else an
  /// error. Only the tools of bzip2 and gzip do that.
  void set_ends_file(bool ends_file) { ends_file_ = ends_file; }
  /// gzip: the checksum that the index has for the next part of known size.
  void set_crc(std::uint32_t crc) { crc_ = crc; }
  /// Bytes ignored so far.
  std::uint64_t passed_over() const { return passed_over_; }

  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

 protected:
  bool ends_file_ = true;
  std::uint64_t passed_over_ = 0;
  std::uint32_t crc_ = 0;

 private:
  Bytes whole_;
};

/// Static properties of a format.
struct Format {
  Codec::Kind kind;
  const char* name;
  int lowest_level, highest_level, default_level;
  std::size_t default_block_bytes;
};

/// The formats with which this program was built.
const std::vector<Format>& formats();
/// Their names as text: "zstd, bzip2, gzip, xz".
std::string format_list();
/// The format with this name; throws an InputError that lists them.
const Format& format_named(const std::string& name);
const Format& format_of(Codec::Kind kind);
/// The format of a file with these first bytes (13 or more); null: none.
const Format* format_of(View first_bytes);
/// Whether it is a .lzma file of one stream without an index or a checksum, which `xz` also reads.
bool is_lzma(View first_bytes);

/// Throws InputError if the format lacks the level. `check`: the kind of checksum of xz's blocks (Archive::xz_check).
constexpr int usual_xz_check = 4;  // CRC64
std::unique_ptr<Codec> make_codec(Codec::Kind kind, int level, int check = usual_xz_check);

namespace detail {
/// Implements decompress with `stream`, which reads and writes as decompress_stream does. Stops with an Error if the
/// output is larger than expected or, if the size is unknown, than a gigabyte and 64 times the input, since a few bytes
/// could expand beyond the memory.
void decompress_whole(const std::function<void(const Codec::Read&, const Codec::Write&)>& stream, View in,
                      std::uint64_t expected_bytes, Bytes& out);
void decompress_whole(const std::function<void(const Codec::Read&, const Codec::Write&)>& stream, View in,
                      std::uint64_t expected_bytes, const Codec::Write& write);
/// Throws the Error of decompress_whole for another size.
void check_size(std::uint64_t expected_bytes, std::uint64_t bytes);
/// What an error code of liblzma means for the user, with advice.
std::string cause_of_xz(int code);
std::unique_ptr<Codec> make_zstd(int level);
std::unique_ptr<Codec> make_bzip2(int level);
std::unique_ptr<Codec> make_gzip(int level);
std::unique_ptr<Codec> make_xz(int level, int check);
}  // namespace detail

}  // namespace weft::pack
