// SPDX-License-Identifier: BSD-3-Clause
#include <lzma.h>

#include <memory>

#include "pack/container.hpp"
#include "weft/error.hpp"

namespace weft::pack::detail {
namespace {

class XzContainer final : public Container {
 public:
  Bytes head() const override {
    Bytes bytes(LZMA_STREAM_HEADER_SIZE);
    test(lzma_stream_header_encode(&flags_, at(bytes)));
    return bytes;
  }
  void add(const Entry& block, std::uint64_t unpadded_bytes) override {
    test(lzma_index_append(index_.get(), nullptr, unpadded_bytes, block.size));
  }
  Bytes tail(const std::vector<Entry>&) override {
    flags_.backward_size = lzma_index_size(index_.get());
    Bytes bytes(flags_.backward_size + LZMA_STREAM_HEADER_SIZE);
    std::size_t end = 0;
    test(lzma_index_buffer_encode(index_.get(), at(bytes), &end, bytes.size()));
    test(lzma_stream_footer_encode(&flags_, at(bytes) + end));
    return bytes;
  }

 private:
  static std::uint8_t* at(Bytes& bytes) { return reinterpret_cast<std::uint8_t*>(bytes.data()); }
  static void test(lzma_ret code) {
    if (code != LZMA_OK) throw Error(cause_of_xz(code));
  }
  struct End {
    void operator()(lzma_index* index) const { lzma_index_end(index, nullptr); }
  };
  static lzma_stream_flags usual_flags() {
    lzma_stream_flags flags{};
    flags.backward_size = LZMA_VLI_UNKNOWN;
    flags.check = static_cast<lzma_check>(usual_xz_check);
    return flags;
  }
  lzma_stream_flags flags_ = usual_flags();
  std::unique_ptr<lzma_index, End> index_{lzma_index_init(nullptr)};
};

}  // namespace

std::unique_ptr<Container> make_xz_container() { return std::make_unique<XzContainer>(); }

}  // namespace weft::pack::detail
