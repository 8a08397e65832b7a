// SPDX-License-Identifier: BSD-3-Clause
#include <bzlib.h>

#include <algorithm>

#include "pack/bzip2_encoder.hpp"
#include "weft/error.hpp"

namespace weft::pack::detail {
namespace {

class Bzip2 final : public Codec {
 public:
  explicit Bzip2(int level) : encoder_(level) {}

  void compress(View in, Bytes& out) override { encoder_.encode(in, out); }

  void decompress(View in, std::uint64_t expected, Bytes& out) override { decompress_whole(*this, in, expected, out); }

  // Streams follow each other until the input ends; what follows one and is not another is damage.
  void decompress_stream(const std::function<std::size_t(std::span<std::byte>)>& read,
                         const std::function<void(View)>& write) override {
    Bytes in(std::size_t{1} << 18), out(std::size_t{1} << 18);
    std::size_t from = 0, to = read(in);
    while (from < to) {
      Stream s;
      for (int code = BZ_OK; code != BZ_STREAM_END;) {
        if (from == to) {
          from = 0;
          to = read(in);
          if (to == 0) throw Error("truncated bzip2 data (the file ends inside a stream).");
        }
        s.of.next_in = reinterpret_cast<char*>(in.data() + from);
        s.of.avail_in = static_cast<unsigned>(to - from);
        do {
          s.of.next_out = reinterpret_cast<char*>(out.data());
          s.of.avail_out = static_cast<unsigned>(out.size());
          code = BZ2_bzDecompress(&s.of);
          if (code != BZ_OK && code != BZ_STREAM_END)
            throw Error(code == BZ_MEM_ERROR ? "no memory left for bzip2."
                                             : "damaged bzip2 data (a checksum or the format is wrong).");
          write(View(out).first(out.size() - s.of.avail_out));
        } while (code == BZ_OK && s.of.avail_out == 0);
        from = to - s.of.avail_in;
      }
      if (from == to) {
        from = 0;
        to = read(in);
      }
    }
  }

 private:
  struct Stream {
    Stream() {
      if (BZ2_bzDecompressInit(&of, 0, 0) != BZ_OK) throw Error("no memory left for bzip2.");
    }
    ~Stream() { BZ2_bzDecompressEnd(&of); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    bz_stream of{};
  };
  Bzip2Encoder encoder_;
};

}  // namespace

std::unique_ptr<Codec> make_bzip2(int level) { return std::make_unique<Bzip2>(level); }

}  // namespace weft::pack::detail
