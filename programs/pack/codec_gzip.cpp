// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>
#include <string>
#include <utility>

#include "pack/codec.hpp"
#include "weft/error.hpp"

namespace weft::pack::detail {
namespace {

// What is not listed here is damage.
constexpr std::pair<int, const char*> gzip_causes[] = {
    {Z_MEM_ERROR, "There is not enough memory for gzip. Use fewer ranks."},
    {Z_NEED_DICT, "The gzip data need a dictionary, which the format does not have. Copy or create the archive again."},
};

void check_gzip(int code) {
  if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) return;  // the last: no progress was possible
  for (const auto& [known, text] : gzip_causes)
    if (known == code) throw Error(text);
  throw Error("The gzip data are damaged (a checksum or the format is wrong). Copy or create the archive again.");
}

Bytef* letters(std::byte* p) { return reinterpret_cast<Bytef*>(p); }
// zlib does not write to its input.
Bytef* letters(const std::byte* p) { return reinterpret_cast<Bytef*>(const_cast<std::byte*>(p)); }

class Gzip final : public Codec {
 public:
  explicit Gzip(int level) : level_(level) {}

  // Deflate blocks that end with a byte and refer to nothing before them; returns the content's checksum.
  std::uint64_t compress(View in, Bytes& out) override {
    z_stream s{};
    check_gzip(deflateInit2(&s, level_, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY));
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&s, deflateEnd);
    constexpr std::size_t mark_bytes = 16;  // of a flush
    out.resize(deflateBound(&s, in.size()) + mark_bytes);
    s.next_in = letters(in.data());
    s.avail_in = static_cast<uInt>(in.size());
    s.next_out = letters(out.data());
    s.avail_out = static_cast<uInt>(out.size());
    check_gzip(deflate(&s, Z_SYNC_FLUSH));
    if (s.avail_in > 0 || s.avail_out == 0) throw Error("The library zlib did not compress a block as a whole.");
    out.resize(out.size() - s.avail_out);
    return crc32_z(0, letters(in.data()), in.size());
  }

  void decompress(View in, std::uint64_t expected, Bytes& out) override {
    if (expected != unknown) return decompress_block(in, expected, out);
    decompress_whole([this](const Read& read, const Write& write) { decompress_stream(read, write); }, in, expected,
                     out);
  }

  // Reads members until the input ends. Like gzip, it ignores other bytes after a member; zeros, as tapes have them,
  // are not even mentioned.
  void decompress_stream(const Read& read, const Write& write) override {
    Bytes in(std::size_t{1} << 18), out(std::size_t{1} << 18);
    z_stream s{};
    check_gzip(inflateInit2(&s, 16 + MAX_WBITS));
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&s, inflateEnd);
    std::size_t from = 0, to = read(in);
    while (from < to) {
      for (int code = Z_OK; code != Z_STREAM_END;) {
        if (from == to) {
          from = 0;
          to = read(in);
          if (to == 0)
            throw Error(
                "The gzip data are truncated (the file ends inside a member). Copy or create the archive again.");
        }
        s.next_in = letters(in.data() + from);
        s.avail_in = static_cast<uInt>(to - from);
        do {
          s.next_out = letters(out.data());
          s.avail_out = static_cast<uInt>(out.size());
          check_gzip(code = inflate(&s, Z_NO_FLUSH));
          write(View(out).first(out.size() - s.avail_out));
        } while (code != Z_STREAM_END && s.avail_out == 0);
        from = to - s.avail_in;
      }
      check_gzip(inflateReset(&s));
      if (from + 1 >= to) {  // the next member's two letters, if there is one
        const bool one = from < to;
        if (one) in[0] = in[from];
        from = 0;
        to = (one ? 1U : 0U) + read(std::span(in).subspan(one ? 1 : 0));
      }
      const auto rest = View(in).subspan(from, to - from);
      if (rest.empty() || (rest[0] == first_letter && (rest.size() < 2 || rest[1] == second_letter))) continue;
      std::uint64_t others = 0, all = 0;
      for (auto n = to - from; n > 0; n = read(in), from = 0) {
        others += static_cast<std::uint64_t>(n - std::count(in.begin() + static_cast<std::ptrdiff_t>(from),
                                                            in.begin() + static_cast<std::ptrdiff_t>(from + n),
                                                            std::byte{0}));
        all += n;
      }
      if (others > 0) passed_over_ += all;
      return;
    }
  }

 private:
  // What compress made: the block must end with its last byte.
  void decompress_block(View in, std::uint64_t expected, Bytes& out) const {
    z_stream s{};
    check_gzip(inflateInit2(&s, -MAX_WBITS));
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&s, inflateEnd);
    out.resize(expected + 1);  // zlib needs room to go on, and more than expected is noticed
    s.next_in = letters(in.data());
    s.avail_in = static_cast<uInt>(in.size());
    s.next_out = letters(out.data());
    s.avail_out = static_cast<uInt>(out.size());
    check_gzip(inflate(&s, Z_SYNC_FLUSH));
    out.resize(out.size() - s.avail_out);
    constexpr int between_blocks = 128, bits_left = 63;  // of zlib's data_type; or in the last block
    if (s.avail_in > 0 || out.size() != expected || (s.data_type & between_blocks) == 0 ||
        (s.data_type & bits_left) != 0 || crc32_z(0, letters(out.data()), out.size()) != crc_)
      check_gzip(Z_DATA_ERROR);
  }

  static constexpr std::byte first_letter{0x1f}, second_letter{0x8b};
  int level_;
};

}  // namespace

std::unique_ptr<Codec> make_gzip(int level) { return std::make_unique<Gzip>(level); }

}  // namespace weft::pack::detail
