// SPDX-License-Identifier: BSD-3-Clause
#include <lzma.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "pack/archive.hpp"
#include "pack/codec.hpp"
#include "pack/container.hpp"
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
  Xz(int level, int check) : level_(static_cast<std::uint32_t>(level)), check_(static_cast<lzma_check>(check)) {}

  // A block of a stream; returns its size without padding.
  std::uint64_t compress(View in, Bytes& out) override {
    lzma_options_lzma options{};
    lzma_lzma_preset(&options, level_);
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    lzma_block block{};
    block.check = static_cast<lzma_check>(usual_xz_check);
    block.filters = filters;
    out.resize(lzma_block_buffer_bound(in.size()));
    std::size_t n = 0;
    check(lzma_block_buffer_encode(&block, nullptr, u8(in.data()), in.size(), u8(out.data()), &n, out.size()));
    out.resize(n);
    return lzma_block_unpadded_size(&block);
  }

  void decompress(View in, std::uint64_t expected, Bytes& out) override {
    decompress_whole([&](const Read& read, const Write& write) { decompress_part(in, read, write); }, in, expected,
                     out);
  }

  void decompress_to(View in, std::uint64_t expected, const Write& write) override {
    detail::decompress_whole([&](const Read& read, const Write& to) { decompress_part(in, read, to); }, in, expected,
                             write);
  }

  void decompress_stream(const Read& read, const Write& write) override {
    Decoder decoder;
    check(lzma_auto_decoder(&decoder.of, most_memory, LZMA_CONCATENATED));  // also for .lzma
    decoder.run(read, write);
  }

 private:
  static constexpr std::uint64_t most_memory = std::uint64_t{1} << 31;  // xz -9: 65 MiB, its largest dictionary 1.5 GiB

  struct Decoder {
    Decoder() = default;
    ~Decoder() { lzma_end(&of); }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    void run(const Read& read, const Write& write) {
      Bytes in(std::size_t{1} << 18), out(std::size_t{1} << 18);
      lzma_action action = LZMA_RUN;
      for (lzma_ret code = LZMA_OK; code != LZMA_STREAM_END;) {
        if (of.avail_in == 0 && action == LZMA_RUN) {
          of.next_in = u8(in.data());
          of.avail_in = read(in);
          if (of.avail_in == 0) action = LZMA_FINISH;
        }
        of.next_out = u8(out.data());
        of.avail_out = out.size();
        check(code = lzma_code(&of, action));
        write(View(out).first(out.size() - of.avail_out));
      }
      if (of.avail_in > 0 || (action == LZMA_RUN && read(in) > 0)) check(LZMA_DATA_ERROR);
    }

    lzma_stream of = LZMA_STREAM_INIT;
  };

  void decompress_part(View in, const Read& read, const Write& write) {
    const bool is_stream = format_of(in) != nullptr;  // also .lzma; a block's head has other bytes
    is_stream ? decompress_stream(read, write) : decompress_block(in, read, write);
  }

  // One block without the head of its stream.
  void decompress_block(View in, const Read& read, const Write& write) const {
    struct Filters {
      ~Filters() {
        for (auto& filter : of) std::free(filter.options);
      }
      lzma_filter of[LZMA_FILTERS_MAX + 1]{};
    } filters;
    lzma_block block{};
    block.check = check_;
    block.filters = filters.of;
    if (in.empty()) check(LZMA_BUF_ERROR);
    block.header_size = lzma_block_header_size_decode(std::to_integer<std::uint8_t>(in[0]));
    if (in[0] == std::byte{0} || block.header_size > in.size()) check(LZMA_DATA_ERROR);
    check(lzma_block_header_decode(&block, nullptr, u8(in.data())));
    if (lzma_raw_decoder_memusage(filters.of) > most_memory) check(LZMA_MEMLIMIT_ERROR);
    Bytes head(block.header_size);
    read(head);
    Decoder decoder;
    check(lzma_block_decoder(&decoder.of, &block));
    decoder.run(read, write);
  }

  std::uint32_t level_;
  lzma_check check_;
};

class XzContainer final : public Container {
 public:
  Bytes head() const override {
    Bytes bytes(LZMA_STREAM_HEADER_SIZE);
    test(lzma_stream_header_encode(&flags_, u8(bytes.data())));
    return bytes;
  }
  void add(const Entry& block, std::uint64_t unpadded_bytes) override {
    test(lzma_index_append(index_.get(), nullptr, unpadded_bytes, block.size));
  }
  Bytes tail(const std::vector<Entry>&) override {
    flags_.backward_size = lzma_index_size(index_.get());
    Bytes bytes(flags_.backward_size + LZMA_STREAM_HEADER_SIZE);
    std::size_t end = 0;
    test(lzma_index_buffer_encode(index_.get(), u8(bytes.data()), &end, bytes.size()));
    test(lzma_stream_footer_encode(&flags_, u8(bytes.data()) + end));
    return bytes;
  }

 private:
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

std::unique_ptr<Codec> make_xz(int level, int check) { return std::make_unique<Xz>(level, check); }

std::unique_ptr<Container> make_xz_container() { return std::make_unique<XzContainer>(); }

// liblzma reads from the end of the file, where each stream's index is, and requests seeks.
void find_xz(const Source& source, Archive& archive) {
  if (is_lzma(source.piece(0, 13))) {
    archive.entries.push_back({.at = 0, .bytes = source.bytes()});
    return;
  }
  lzma_stream s = LZMA_STREAM_INIT;
  lzma_index* index = nullptr;
  // A record of the index takes 2 bytes or more of the file, and 16 of memory.
  const std::uint64_t memory = (std::uint64_t{1} << 20) + 64 * source.bytes();
  lzma_ret code = lzma_file_info_decoder(&s, &index, memory, source.bytes());
  Bytes piece;
  for (std::uint64_t at = 0; code == LZMA_OK || code == LZMA_SEEK_NEEDED;) {
    if (code == LZMA_SEEK_NEEDED || s.avail_in == 0) {
      if (code == LZMA_SEEK_NEEDED) at = s.seek_pos;
      piece = source.piece(at, std::uint64_t{1} << 16);
      at += piece.size();
      s.next_in = reinterpret_cast<const std::uint8_t*>(piece.data());
      s.avail_in = piece.size();
    }
    code = lzma_code(&s, LZMA_RUN);
  }
  lzma_end(&s);
  if (code == LZMA_DATA_ERROR || code == LZMA_FORMAT_ERROR ||
      code == LZMA_BUF_ERROR)  // no footer, or no index before it
    throw InputError(source.name() +
                     ": The archive is truncated or damaged (the index at its end is incomplete). "
                     "Copy or create it again.");
  if (code != LZMA_STREAM_END) throw InputError(source.name() + ": " + cause_of_xz(code));
  lzma_index_iter i;
  lzma_index_iter_init(&i, index);
  // Blocks can be read alone if the kind of checksum, which a stream's head states, is the same for all.
  bool same = true;
  for (bool first = true; !lzma_index_iter_next(&i, LZMA_INDEX_ITER_STREAM); first = false) {
    const auto check = static_cast<int>(i.stream.flags->check);
    same = same && (first || check == archive.xz_check);
    archive.xz_check = check;
  }
  lzma_index_iter_rewind(&i);
  while (!lzma_index_iter_next(&i, same ? LZMA_INDEX_ITER_BLOCK : LZMA_INDEX_ITER_STREAM))
    archive.entries.push_back(same ? Entry{.at = i.block.compressed_file_offset,
                                           .bytes = i.block.total_size,
                                           .size = i.block.uncompressed_size}
                                   : Entry{.at = i.stream.compressed_offset,
                                           .bytes = i.stream.compressed_size,
                                           .size = i.stream.uncompressed_size});
  lzma_index_end(index, nullptr);
}

}  // namespace weft::pack::detail
