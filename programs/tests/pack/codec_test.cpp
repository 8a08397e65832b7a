// SPDX-License-Identifier: BSD-3-Clause
//
// Each codec round-trips texts that are difficult for it; bzip2 data of our encoder is decoded by libbz2.
#include "pack/codec.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pack/container.hpp"
#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/error.hpp"

namespace weft::pack {
namespace {

using testing::error_of;
using testing::Random;

Bytes bytes_of(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::vector<Bytes> texts() {
  std::vector<Bytes> all{{}, bytes_of("a"), bytes_of("ab"), bytes_of("banana"), bytes_of("abababab")};
  for (const std::size_t n : {3, 4, 5, 254, 255, 256, 259, 260, 300, 950000})
    all.push_back(bytes_of(std::string(n, 'x')));  // runs near the largest length that one byte can store
  all.push_back(bytes_of(repeated("no two rows of this sort differ ", 9000)));
  all.push_back(bytes_of(repeated("aaaab", 50000)));  // every run grows when encoded
  Random random(7);
  for (const std::size_t n : {1, 2, 255, 5000, 120000}) {
    Bytes noise(n), skewed(n);
    for (auto& b : noise) b = static_cast<std::byte>(random.below(256));
    for (auto& b : skewed) b = static_cast<std::byte>(random.below(1 + random.below(1 + random.below(256))));
    all.push_back(std::move(noise));
    all.push_back(std::move(skewed));
  }
  Bytes letters;
  for (int i = 0; i < 4096; ++i) letters.push_back(static_cast<std::byte>(i * 7));
  all.push_back(std::move(letters));
  return all;
}

// A whole archive of blocks.
Bytes archive_of(const Format& format, const std::vector<Bytes>& blocks) {
  const auto codec = make_codec(format.kind, format.default_level);
  const auto container = make_container(format.kind, format.default_level);
  auto all = container->head();
  std::vector<Entry> entries{{.bytes = all.size(), .size = 0}};
  const auto append = [&](const Bytes& bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); };
  for (const auto& block : blocks) {
    Bytes packed;
    const auto note = codec->compress(block, packed);
    entries.push_back({.at = all.size(), .bytes = packed.size(), .size = block.size()});
    container->add(entries.back(), note);
    append(packed);
  }
  append(container->tail(entries));
  return all;
}

TEST(Codec, gives_back_what_it_was_given) {
  for (const auto& format : formats())
    for (const int level : {format.lowest_level, format.default_level}) {
      const auto codec = make_codec(format.kind, level);
      Bytes packed, unpacked;
      for (const auto& text : texts()) {
        SCOPED_TRACE(std::string(format.name) + ", level " + std::to_string(level) + ", " +
                     std::to_string(text.size()) + " bytes");
        codec->set_crc(static_cast<std::uint32_t>(codec->compress(text, packed)));
        if (packed.empty()) continue;  // bzip2 has no empty blocks
        codec->decompress(packed, text.size(), unpacked);
        EXPECT_TRUE(unpacked == text);
        if (format.kind == Codec::Kind::gzip) packed = archive_of(format, {text});  // a block alone has no checksum
        codec->decompress(packed, Codec::unknown, unpacked);
        EXPECT_TRUE(unpacked == text);
      }
    }
}

TEST(Codec, archives_follow_each_other) {
  for (const auto& format : formats()) {
    const auto codec = make_codec(format.kind, format.default_level);
    auto archive = archive_of(format, {bytes_of("first, "), bytes_of("second, ")});
    EXPECT_EQ(format_of(archive), &format_of(format.kind));
    const auto other = archive_of(format, {bytes_of("third")}), none = archive_of(format, {});
    for (const auto& more : {other, none, archive_of(format, {Bytes()})})
      archive.insert(archive.end(), more.begin(), more.end());
    Bytes unpacked;
    codec->decompress(archive, Codec::unknown, unpacked);
    EXPECT_TRUE(unpacked == bytes_of("first, second, third")) << format.name;
  }
}

TEST(Codec, finds_damage_and_missing_ends) {
  Random random(11);
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "0123456789 abcdef"[random.below(17)];
  for (const auto& format : formats()) {
    const auto codec = make_codec(format.kind, format.default_level);
    Bytes packed, unpacked;
    packed = archive_of(format, {bytes_of(text)});
    for (const auto where : {packed.size() / 4, packed.size() / 2, packed.size() / 4 * 3}) {
      SCOPED_TRACE(std::string(format.name) + " at " + std::to_string(where) + " of " + std::to_string(packed.size()));
      auto damaged = packed;
      damaged[where] ^= std::byte{0x10};
      EXPECT_NE(error_of([&] { codec->decompress(damaged, Codec::unknown, unpacked); }).find(format.name),
                std::string::npos);
      const auto cut = View(packed).first(where);
      EXPECT_NE(error_of([&] { codec->decompress(cut, Codec::unknown, unpacked); }).find("truncated"),
                std::string::npos);
    }
  }
}

TEST(Codec, names_what_is_allowed) {
  EXPECT_NE(error_of([] { format_named("rar"); }).find("codec 'rar' is unknown. Use one of zstd, bzip2"),
            std::string::npos);
  EXPECT_EQ(error_of([] { make_codec(Codec::Kind::bzip2, 10); }),
            "bzip2 has no level 10 (levels: 1 to 9). Give one of these levels.");
  EXPECT_EQ(format_of(View{}), nullptr);
  EXPECT_EQ(format_of(bytes_of("BZhello")), nullptr);
}

}  // namespace
}  // namespace weft::pack
