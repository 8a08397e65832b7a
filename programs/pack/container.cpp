// SPDX-License-Identifier: BSD-3-Clause
#include "pack/container.hpp"

#include <zlib.h>

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

// One member, as gzip itself writes.
class GzipContainer final : public Container {
 public:
  // Magic number, deflate, no name, no time, of Unix.
  Bytes head() const override { return bytes_of(std::string_view("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10)); }
  void add(const Entry& block, std::uint64_t note) override {
    crc_ = crc32_combine(crc_, static_cast<uLong>(note), static_cast<z_off_t>(block.size));
    size_ += block.size;
  }
  Bytes tail(const std::vector<Entry>&) override {
    auto bytes = bytes_of(std::string_view("\x03\0", 2));  // the last deflate block, empty
    for (const std::uint64_t number : {static_cast<std::uint64_t>(crc_), size_})
      for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(number >> shift & 255));
    return bytes;
  }

 private:
  uLong crc_ = 0;
  std::uint64_t size_ = 0;
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
