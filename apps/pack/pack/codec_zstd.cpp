// SPDX-License-Identifier: BSD-3-Clause
#include <zstd.h>

#include <algorithm>
#include <string>

#include "pack/codec.hpp"
#include "weft/error.hpp"

namespace weft::pack::detail {
namespace {

std::size_t check(std::size_t code) {
  if (ZSTD_isError(code))
    throw Error(std::string("The zstd data are damaged (") + ZSTD_getErrorName(code) + "). Create the archive again.");
  return code;
}

class Zstd final : public Codec {
 public:
  explicit Zstd(int level) {
    check(ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, level));
    check(ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_checksumFlag, 1));
  }

  void compress(View in, Bytes& out) override {
    out.resize(ZSTD_compressBound(in.size()));
    out.resize(check(ZSTD_compress2(compressor_.get(), out.data(), out.size(), in.data(), in.size())));
  }

  void decompress(View in, std::uint64_t expected, Bytes& out) override {
    if (expected == unknown) return decompress_whole(*this, in, expected, out);
    // A block of 4 bytes, the smallest, contains at most 128 KiB: no memory is reserved for impossible sizes.
    constexpr std::uint64_t most_a_byte = 32768;
    if (expected / most_a_byte > in.size())
      throw Error(
          "The zstd data are damaged (they are shorter than the index or a frame states). Create the archive again.");
    if (check(ZSTD_findFrameCompressedSize(in.data(), in.size())) != in.size())
      throw Error("The part is not one zstd frame (the seek table is damaged). Unpack the archive with zstd -d.");
    out.resize(expected);
    const auto n = check(ZSTD_decompressDCtx(decompressor_.get(), out.data(), out.size(), in.data(), in.size()));
    if (n != expected)
      throw Error("The zstd data are damaged (the index and a frame state different sizes). Create the archive again.");
  }

  void decompress_stream(const std::function<std::size_t(std::span<std::byte>)>& read,
                         const std::function<void(View)>& write) override {
    Bytes in(ZSTD_DStreamInSize()), out(ZSTD_DStreamOutSize());
    check(ZSTD_DCtx_reset(decompressor_.get(), ZSTD_reset_session_only));
    std::size_t open = 0;  // bytes that the frame still needs; 0: between frames
    while (const auto n = read(in)) {
      ZSTD_inBuffer from{in.data(), n, 0};
      bool full = false;
      while (from.pos < from.size || full) {
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        open = check(ZSTD_decompressStream(decompressor_.get(), &to, &from));
        write(View(out).first(to.pos));
        full = to.pos == to.size && open != 0;
      }
    }
    if (open != 0) throw Error("The zstd data are truncated (the file ends inside a frame). Create the archive again.");
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
    void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> compressor_{ZSTD_createCCtx()};
  std::unique_ptr<ZSTD_DCtx, Free> decompressor_{ZSTD_createDCtx()};
};

}  // namespace

std::unique_ptr<Codec> make_zstd(int level) { return std::make_unique<Zstd>(level); }

}  // namespace weft::pack::detail
