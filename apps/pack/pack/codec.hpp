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

/// One compressed format. A block is compressed into whole frames (streams) of the format, so that compressed blocks,
/// one after the other, are what the standard tools read, and each can be read without the others.
///
/// An object belongs to one thread and keeps its working memory. Calls throw weft::Error: "what is wrong (why)."
class Codec {
 public:
  enum class Kind : std::uint8_t { zstd, bzip2, xz };

  virtual ~Codec() = default;

  /// Replaces `out`. Any size up to 1 GiB, none as well.
  virtual void compress(View in, Bytes& out) = 0;
  /// Of whole frames, one or several; replaces `out`. The frames' checksums are checked. `expected_bytes`: what comes
  /// out, or `unknown`.
  virtual void decompress(View in, std::uint64_t expected_bytes, Bytes& out) = 0;
  /// Of anything in the format, of any size, piece by piece: `read` fills what it is given and returns how much, 0 at
  /// the end; `write` is given what came out.
  virtual void decompress_stream(const std::function<std::size_t(std::span<std::byte>)>& read,
                                 const std::function<void(View)>& write) = 0;

  /// What follows the last stream and is none: passed over and counted if this is the end of a file (the default), else
  /// damage. Only bzip2's tools do that.
  void set_ends_file(bool ends_file) { ends_file_ = ends_file; }
  /// Bytes that were passed over so far.
  std::uint64_t passed_over() const { return passed_over_; }

  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

 protected:
  bool ends_file_ = true;
  std::uint64_t passed_over_ = 0;
};

/// What there is to know of a format without an object.
struct Format {
  Codec::Kind kind;
  const char* name;
  const char* suffix;
  int lowest_level, highest_level, default_level;
  std::size_t default_block_bytes;
};

/// Those that this program was built with.
const std::vector<Format>& formats();
/// Their names as text: "zstd, bzip2, xz".
std::string format_list();
/// InputError that lists them if there is none of this name.
const Format& format_named(const std::string& name);
const Format& format_of(Codec::Kind kind);
/// Which one a file of these first bytes (13 or more) is in; null: none.
const Format* format_of(View first_bytes);
/// Whether it is a .lzma file, of one stream without an index or a checksum, which `xz` reads, too.
bool is_lzma(View first_bytes);

/// InputError if the level is not the format's.
std::unique_ptr<Codec> make_codec(Codec::Kind kind, int level);

namespace detail {
/// What decompress does by decompress_stream. Stops with an Error where more comes out than expected, or, of unknown
/// size, than a gigabyte and 64 times the input: what a few bytes stand for would fill the memory.
void decompress_whole(Codec& codec, View in, std::uint64_t expected_bytes, Bytes& out);
std::unique_ptr<Codec> make_zstd(int level);
std::unique_ptr<Codec> make_bzip2(int level);
std::unique_ptr<Codec> make_xz(int level);
}  // namespace detail

}  // namespace weft::pack
