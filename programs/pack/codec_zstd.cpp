// SPDX-License-Identifier: BSD-3-Clause
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <string>
#include <utility>

#include "pack/codec.hpp"
#include "pack/container.hpp"
#include "weft/error.hpp"

namespace weft::pack::detail {
namespace {

// What is not listed here is damage.
constexpr std::pair<ZSTD_ErrorCode, const char*> zstd_causes[] = {
    {ZSTD_error_version_unsupported,
     "The zstd data have the format of an old version of zstd. Unpack them with zstd -d."},
    {ZSTD_error_frameParameter_unsupported,
     "The zstd data use an option of the format that this libzstd does not know. Unpack them with a newer zstd -d."},
    {ZSTD_error_frameParameter_windowTooLarge,
     "The zstd data need a window of more than 128 MiB (zstd --long made them). Unpack them with zstd -d --long=31."},
    {ZSTD_error_dictionary_wrong,
     "The zstd data need the dictionary with which they were packed. Unpack them with zstd -d -D DICTIONARY."},
    {ZSTD_error_memory_allocation, "There is not enough memory for zstd. Use fewer ranks."},
};

std::size_t check(std::size_t result) {
  if (ZSTD_isError(result) == 0) return result;
  const auto code = ZSTD_getErrorCode(result);
  for (const auto& [known, text] : zstd_causes)
    if (known == code) throw Error(text);
  throw Error(std::string("The zstd data are damaged (") + ZSTD_getErrorName(result) +
              "). Copy or create the archive again.");
}

class Zstd final : public Codec {
 public:
  explicit Zstd(int level) {
    check(ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, level));
    check(ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_checksumFlag, 1));
  }

  std::uint64_t compress(View in, Bytes& out) override {
    out.resize(ZSTD_compressBound(in.size()));
    out.resize(check(ZSTD_compress2(compressor_.get(), out.data(), out.size(), in.data(), in.size())));
    return 0;
  }

  void decompress(View in, std::uint64_t expected, Bytes& out) override {
    if (expected == unknown)
      return decompress_whole([this](const Read& read, const Write& write) { decompress_stream(read, write); }, in,
                              expected, out);
    // A block of 4 bytes, the smallest, contains at most 128 KiB: no memory is reserved for impossible sizes.
    constexpr std::uint64_t most_a_byte = 32768;
    if (expected / most_a_byte > in.size())
      throw Error(
          "The zstd data are damaged (they are shorter than the index or a frame states). Copy or create the archive "
          "again.");
    if (check(ZSTD_findFrameCompressedSize(in.data(), in.size())) != in.size())
      throw Error("The part is not one zstd frame (the seek table is damaged). Unpack the archive with zstd -d.");
    out.resize(expected);
    const auto n = check(ZSTD_decompressDCtx(decompressor_.get(), out.data(), out.size(), in.data(), in.size()));
    if (n != expected)
      throw Error(
          "The zstd data are damaged (the index and a frame state different sizes). Copy or create the archive again.");
  }

  // If weft's first frame is among the frames, a seek table must follow.
  void decompress_stream(const Read& read, const Write& write) override {
    Bytes in(ZSTD_DStreamInSize()), out(ZSTD_DStreamOutSize());
    check(ZSTD_DCtx_reset(decompressor_.get(), ZSTD_reset_session_only));
    bool needs_table = false;
    std::size_t from = 0, to = 0;
    for (;;) {
      if (!fill(in, from, to, read)) break;
      const auto head = View(in).subspan(from, to - from);
      if (is_zstd_start(head)) {
        if (needs_table) throw Error(no_table);
        needs_table = true;
      } else if (is_seek_table(head)) {
        needs_table = false;
      }
      for (std::size_t open = 1; open != 0;) {  // bytes that the frame still needs; 0: it has ended
        if (from == to) {
          from = 0;
          if ((to = read(in)) == 0)
            throw Error(
                "The zstd data are truncated (the file ends inside a frame). Copy or create the archive again.");
        }
        ZSTD_inBuffer source{in.data(), to, from};
        for (bool full = true; full && open != 0;) {
          ZSTD_outBuffer target{out.data(), out.size(), 0};
          open = check(ZSTD_decompressStream(decompressor_.get(), &target, &source));
          write(View(out).first(target.pos));
          full = target.pos == target.size;
        }
        from = source.pos;
      }
    }
    if (needs_table) throw Error(no_table);
  }

 private:
  static constexpr const char* no_table =
      "The zstd data are truncated (they end between two frames, before the seek table). Copy or create the archive "
      "again.";

  // Moves the bytes of a frame's beginning to the front, and reads more. False at the end.
  static bool fill(Bytes& in, std::size_t& from, std::size_t& to, const Read& read) {
    if (to - from >= zstd_start_bytes) return true;
    std::copy(in.begin() + static_cast<std::ptrdiff_t>(from), in.begin() + static_cast<std::ptrdiff_t>(to), in.begin());
    to -= std::exchange(from, 0);
    for (std::size_t n = 1; n > 0 && to < zstd_start_bytes; to += n) n = read(std::span(in).subspan(to));
    return to > 0;
  }

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
