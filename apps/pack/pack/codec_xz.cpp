// SPDX-License-Identifier: BSD-3-Clause
#include <lzma.h>

#include <algorithm>
#include <string>

#include "pack/codec.hpp"
#include "weft/error.hpp"

namespace weft::pack::detail {
namespace {

void check(lzma_ret code) {
  if (code != LZMA_OK && code != LZMA_STREAM_END) throw Error(cause_of_xz(code));
}

std::uint8_t* u8(std::byte* p) { return reinterpret_cast<std::uint8_t*>(p); }
const std::uint8_t* u8(const std::byte* p) { return reinterpret_cast<const std::uint8_t*>(p); }

class Xz final : public Codec {
 public:
  explicit Xz(int level) : level_(static_cast<std::uint32_t>(level)) {}

  void compress(View in, Bytes& out) override {
    out.resize(lzma_stream_buffer_bound(in.size()));
    std::size_t n = 0;
    check(lzma_easy_buffer_encode(level_, LZMA_CHECK_CRC64, nullptr, u8(in.data()), in.size(), u8(out.data()), &n,
                                  out.size()));
    out.resize(n);
  }

  void decompress(View in, std::uint64_t expected, Bytes& out) override { decompress_whole(*this, in, expected, out); }

  void decompress_stream(const std::function<std::size_t(std::span<std::byte>)>& read,
                         const std::function<void(View)>& write) override {
    lzma_stream s = LZMA_STREAM_INIT;
    const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end(&s, lzma_end);
    constexpr std::uint64_t most_memory = std::uint64_t{1} << 31;  // xz -9 needs 65 MiB, its largest dictionary 1.5 GiB
    check(lzma_auto_decoder(&s, most_memory, LZMA_CONCATENATED));  // also for .lzma
    Bytes in(std::size_t{1} << 18), out(std::size_t{1} << 18);
    lzma_action action = LZMA_RUN;
    for (lzma_ret code = LZMA_OK; code != LZMA_STREAM_END;) {
      if (s.avail_in == 0 && action == LZMA_RUN) {
        s.next_in = u8(in.data());
        s.avail_in = read(in);
        if (s.avail_in == 0) action = LZMA_FINISH;
      }
      s.next_out = u8(out.data());
      s.avail_out = out.size();
      check(code = lzma_code(&s, action));
      write(View(out).first(out.size() - s.avail_out));
    }
  }

 private:
  std::uint32_t level_;
};

}  // namespace

std::string cause_of_xz(int code) {
  switch (code) {
    case LZMA_MEM_ERROR: return "There is not enough memory for xz. Use a lower level, or fewer ranks.";
    case LZMA_MEMLIMIT_ERROR:
      return "The xz data need more memory than this program gives them (2 GiB for a dictionary). Unpack them with xz "
             "-d.";
    case LZMA_FORMAT_ERROR: return "The data are not in xz's format. Copy or create the archive again.";
    case LZMA_OPTIONS_ERROR:
    case LZMA_UNSUPPORTED_CHECK:
      return "The xz data use a filter or an option of the format that this liblzma does not know. Unpack them with a "
             "newer xz -d.";
    case LZMA_BUF_ERROR:
      return "The xz data are truncated (the file ends inside a stream). Copy or create the archive again.";
    default:
      return "The xz data are damaged (liblzma error " + std::to_string(code) + "). Copy or create the archive again.";
  }
}

std::unique_ptr<Codec> make_xz(int level) { return std::make_unique<Xz>(level); }

}  // namespace weft::pack::detail
