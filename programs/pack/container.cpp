// SPDX-License-Identifier: BSD-3-Clause
#include "pack/container.hpp"

#include <algorithm>
#include <bit>
#include <sstream>
#include <string>
#include <string_view>

#include "pack/bzip2_marks.hpp"

namespace weft::pack {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

bool begins_with(View bytes, std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  return bytes.size() >= view.size() && std::equal(view.begin(), view.end(), bytes.begin());
}

// A frame of one empty block that states its size, 0, in 8 bytes; zstd uses 1.
constexpr std::string_view zstd_start("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0\0\x01\0\0", detail::zstd_start_bytes);

class ZstdContainer final : public Container {
 public:
  Bytes head() const override { return bytes_of(zstd_start); }
  void add(const Entry&, std::uint64_t) override {}
  Bytes tail(const std::vector<Entry>& entries) override {
    std::ostringstream table;
    write_seek_table(table, entries);
    return bytes_of(table.str());
  }
};

// Blocks are whole bytes: see Bzip2Encoder.
class Bzip2Container final : public Container {
 public:
  explicit Bzip2Container(int level) : level_(level) {}
  Bytes head() const override { return bytes_of("BZh" + std::to_string(level_)); }
  void add(const Entry&, std::uint64_t note) override {
    // Block after block, each checksum is rotated by one bit and the next one added.
    crc_ = std::rotl(crc_, static_cast<int>((note >> 32) % 32)) ^ static_cast<std::uint32_t>(note);
  }
  Bytes tail(const std::vector<Entry>&) override { return detail::bzip2_end(crc_); }

 private:
  int level_;
  std::uint32_t crc_ = 0;
};

// One member, as gzip itself writes, and the index.
class GzipContainer final : public Container {
 public:
  Bytes head() const override { return bytes_of(detail::gzip_head); }
  void add(const Entry& block, std::uint64_t note) override {
    blocks_.push_back(block);
    blocks_.back().crc = static_cast<std::uint32_t>(note);
  }
  Bytes tail(const std::vector<Entry>&) override {
    auto bytes = detail::gzip_end(blocks_);
    const auto index = detail::gzip_index(blocks_);
    bytes.insert(bytes.end(), index.begin(), index.end());
    return bytes;
  }

 private:
  std::vector<Entry> blocks_;
};

}  // namespace

bool detail::is_zstd_start(View frame) { return begins_with(frame, zstd_start); }

bool detail::is_seek_table(View frame) { return begins_with(frame, "\x5e\x2a\x4d\x18"); }

std::unique_ptr<Container> make_container(Codec::Kind kind, int level) {
  switch (format_of(kind).kind) {
    case Codec::Kind::zstd: return std::make_unique<ZstdContainer>();
    case Codec::Kind::bzip2: return std::make_unique<Bzip2Container>(level);
    case Codec::Kind::gzip: return std::make_unique<GzipContainer>();
    case Codec::Kind::xz:
#ifdef WEFT_HAVE_LZMA
      return detail::make_xz_container();
#endif
      break;
  }
  return nullptr;
}

}  // namespace weft::pack
