// SPDX-License-Identifier: BSD-3-Clause
#include <bzlib.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "pack/bzip2_decoder.hpp"
#include "pack/bzip2_encoder.hpp"
#include "pack/bzip2_marks.hpp"
#include "weft/error.hpp"

namespace weft::pack::detail {
namespace {

// What is not listed here is damage.
constexpr std::pair<int, const char*> bzip2_causes[] = {
    {BZ_MEM_ERROR, "There is not enough memory for bzip2. Use fewer ranks."},
    {BZ_CONFIG_ERROR, "The bzip2 library was built for another machine. Install libbz2 again."},
    {BZ_DATA_ERROR_MAGIC,
     "The bzip2 data are damaged (a stream or a block does not begin as one). Copy or create the archive again."},
};

void check_bzip2(int code) {
  if (code == BZ_OK || code == BZ_STREAM_END) return;
  for (const auto& [known, text] : bzip2_causes)
    if (known == code) throw Error(text);
  throw Error("The bzip2 data are damaged (a checksum or the format is wrong). Copy or create the archive again.");
}

class Bzip2 final : public Codec {
 public:
  explicit Bzip2(int level) : encoder_(level) {}

  std::uint64_t compress(View in, Bytes& out) override { return encoder_.encode(in, out); }

  void decompress(View in, std::uint64_t expected, Bytes& out) override {
    if (begins(in, "BZh"))
      return decompress_whole([this](const Read& read, const Write& write) { decompress_stream(read, write); }, in,
                              expected, out);
    decoder_.decode(in, out);
    check_size(expected, out.size());
  }

  // Reads streams until the input ends. bzip2 ignores bytes after a stream that are not a stream, and so does weft,
  // unless they have a block's mark at the position of a stream's first one: then they are a stream with a damaged
  // beginning.
  void decompress_stream(const Read& read, const Write& write) override {
    Bytes in(std::size_t{1} << 18), out(std::size_t{1} << 18);
    std::size_t from = 0, to = read(in);
    while (from < to) {
      Stream s;
      for (int code = BZ_OK; code != BZ_STREAM_END;) {
        if (from == to) {
          from = 0;
          to = read(in);
          if (to == 0)
            throw Error(
                "The bzip2 data are truncated (the file ends inside a stream). Copy or create the archive again.");
        }
        s.of.next_in = reinterpret_cast<char*>(in.data() + from);
        s.of.avail_in = static_cast<unsigned>(to - from);
        do {
          s.of.next_out = reinterpret_cast<char*>(out.data());
          s.of.avail_out = static_cast<unsigned>(out.size());
          code = BZ2_bzDecompress(&s.of);
          check_bzip2(code);
          write(View(out).first(out.size() - s.of.avail_out));
        } while (code == BZ_OK && s.of.avail_out == 0);
        from = to - s.of.avail_in;
      }
      if (to - from < head_bytes) {  // moves the beginning of the next head to the front and reads more
        std::copy(in.begin() + static_cast<std::ptrdiff_t>(from), in.begin() + static_cast<std::ptrdiff_t>(to),
                  in.begin());
        to -= std::exchange(from, 0);
        for (std::size_t n = 1; n > 0 && to < head_bytes; to += n) n = read(std::span(in).subspan(to));
      }
      if (is_garbage(View(in).subspan(from, to - from))) {
        if (!ends_file_)
          throw Error(
              "The bzip2 data are damaged (the bytes after a stream are not a stream). Copy or create the archive "
              "again.");
        passed_over_ += to - from;
        while (const auto n = read(in)) passed_over_ += n;
        return;
      }
    }
  }

 private:
  static constexpr std::size_t head_bytes = 10;  // "BZh", a digit, and the mark of a block or of the stream's end

  static bool begins(View bytes, std::string_view text) {
    return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
  }

  // The first letters of a stream at the end of the file are a stream that was cut.
  static bool is_garbage(View rest) {
    const auto mark = rest.subspan(std::min<std::size_t>(4, rest.size()));
    return !rest.empty() && !begins(rest, std::string_view("BZh").substr(0, rest.size())) &&
           !is_bzip2_mark(mark, 0, bzip2_block_number) && !is_bzip2_mark(mark, 0, bzip2_end_number);
  }

  struct Stream {
    Stream() { check_bzip2(BZ2_bzDecompressInit(&of, 0, 0)); }
    ~Stream() { BZ2_bzDecompressEnd(&of); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    bz_stream of{};
  };
  Bzip2Encoder encoder_;
  Bzip2Decoder decoder_;
};

}  // namespace

std::unique_ptr<Codec> make_bzip2(int level) { return std::make_unique<Bzip2>(level); }

}  // namespace weft::pack::detail
