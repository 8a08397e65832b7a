// SPDX-License-Identifier: BSD-3-Clause
//
// Reading a damaged archive gives the packed content or an error, whichever bit is wrong.
#include "pack/container.hpp"

#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "pack/bzip2_marks.hpp"
#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::pack {
namespace {

namespace fs = std::filesystem;
using testing::Random;

std::string text_of(View bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

struct Made {
  std::string content, archive;
  std::size_t tail_bytes = 0;
};

// Blocks of several sizes.
Made make_archive(Codec::Kind kind) {
  Made made;
  Random random(3);
  const auto level = format_of(kind).lowest_level;
  const auto codec = make_codec(kind, level);
  const auto container = make_container(kind, level);
  made.archive = text_of(container->head());
  std::vector<Entry> entries{{.bytes = made.archive.size(), .size = 0}};
  for (const std::size_t n : {600, 40, 900, 20}) {
    Bytes in(n), out;
    for (auto& b : in) b = static_cast<std::byte>('a' + random.below(3));
    const auto note = codec->compress(in, out);
    entries.push_back({.at = made.archive.size(), .bytes = out.size(), .from = made.content.size(), .size = n});
    container->add(entries.back(), note);
    made.content += text_of(in);
    made.archive += text_of(out);
  }
  const auto tail = container->tail(entries);
  made.tail_bytes = tail.size();
  made.archive += text_of(tail);
  return made;
}

// The content that unpack makes from the parts. If sizes are known, each part must also have the size that a range
// expects.
std::string read_back(const fs::path& file, const std::string& bytes, const std::string& content,
                      std::uint64_t exact_to = 0) {
  std::ofstream(file, std::ios::binary) << bytes;
  const auto archive = read_archive(file, exact_to);
  const auto codec = make_codec(archive.format->kind, 3, archive.xz_check);
  std::string all;
  Bytes out;
  for (const auto& e : archive.entries) {
    codec->set_crc(e.crc);
    codec->decompress(std::as_bytes(std::span(bytes)).subspan(e.at, e.bytes), e.size, out);
    all += text_of(out);
    if (!archive.sizes_known) continue;
    EXPECT_LE(e.from, content.size());
    EXPECT_EQ(content.substr(std::min(e.from, content.size()), e.size), text_of(out));
  }
  if (archive.sizes_known) {
    EXPECT_EQ(archive.content_bytes(), content.size());
  }
  return all;
}

TEST(Archive, whichever_bit_of_zstd_is_flipped_is_right_or_an_error) {
  const test::Scratch scratch;
  const auto file = scratch.path() / "a.zst";
  const auto made = make_archive(Codec::Kind::zstd);
  ASSERT_EQ(read_back(file, made.archive, made.content), made.content);
  int refused_in_table = 0;
  for (std::size_t bit = 0; bit < 8 * made.archive.size(); ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit % 8) + " of byte " + std::to_string(bit / 8) + " of " +
                 std::to_string(made.archive.size()));
    auto bytes = made.archive;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    try {
      ASSERT_EQ(read_back(file, bytes, made.content), made.content);
    } catch (const Error& e) {
      if (bit / 8 >= made.archive.size() - made.tail_bytes) ++refused_in_table;
    }
  }
  // All bits of the table's first number and of its length: with these errors it is no seek table, which must follow.
  EXPECT_LE(refused_in_table, 32 + 32);
}

TEST(Archive, whichever_bit_is_flipped_is_right_or_an_error) {
  const test::Scratch scratch;
  const auto file = scratch.path() / "a";
  for (const auto& format : formats()) {
    const auto made = make_archive(format.kind);
    for (std::size_t bit = 0; bit < 8 * made.archive.size(); bit += 61) {
      auto bytes = made.archive;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
      try {
        ASSERT_EQ(read_back(file, bytes, made.content), made.content) << format.name << ", bit " << bit;
      } catch (const Error&) {
      }
    }
  }
}

// libbz2's own blocks begin at any bit. What looks like a mark, or no longer like one, is found by the stream's
// checksum; then the stream is read as a whole.
TEST(Archive, blocks_of_bzip2_begin_at_any_bit) {
  const test::Scratch scratch;
  const auto file = scratch.path() / "a";
  Random random(5);
  std::string content(250000, 'a');
  for (auto& c : content) c = static_cast<char>('a' + random.below(2));
  std::string stream(content.size(), '\0');
  auto n = static_cast<unsigned>(stream.size());
  ASSERT_EQ(BZ2_bzBuffToBuffCompress(stream.data(), &n, content.data(), static_cast<unsigned>(content.size()), 1, 0, 0),
            BZ_OK);
  stream.resize(n);
  ASSERT_EQ(read_back(file, stream + stream, content), content + content);
  ASSERT_EQ(read_archive(file).entries.size(), 6);
  const auto marks = detail::bzip2_marks(std::as_bytes(std::span(stream)), n);
  ASSERT_EQ(marks.size(), 4);
  EXPECT_NE(marks[1].bit % 8 + marks[2].bit % 8, 0);
  std::vector<std::size_t> bits;
  for (const auto& mark : marks)
    for (std::size_t k = 0; k < detail::bzip2_mark_bits; k += 13) bits.push_back(mark.bit + k);
  for (std::size_t bit = 0; bit < 8 * n; bit += 5003) bits.push_back(bit);
  for (const auto bit : bits) {
    auto bytes = stream;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 0x80 >> bit % 8);
    EXPECT_THROW(read_back(file, bytes, content), Error) << bit;
  }
  // A mark in the data: the blocks' checksums don't give the stream's. The data are wrong, too.
  auto bytes = stream;
  bytes.replace(marks[1].bit / 8 + 1000, 6, "\x31\x41\x59\x26\x53\x59");
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_EQ(read_archive(file).entries.size(), 1);
  EXPECT_THROW(read_back(file, bytes, content), Error);
}

// Also between two blocks, through a file and through a pipe.
TEST(Archive, wherever_it_is_cut_is_an_error) {
  const test::Scratch scratch;
  const auto file = scratch.path() / "a";
  for (const auto& format : formats()) {
    const auto made = make_archive(format.kind);
    ASSERT_EQ(read_back(file, made.archive, made.content), made.content) << format.name;
    ASSERT_EQ(read_archive(file).entries.size(), 4) << format.name;  // each block can be read alone
    // gzip's content is whole without the index.
    const auto index_bytes = format.kind == Codec::Kind::gzip ? made.tail_bytes - 10 : 0;
    const auto codec = make_codec(format.kind, format.default_level);
    for (std::size_t cut = 1; cut <= made.archive.size(); ++cut) {
      SCOPED_TRACE(std::string(format.name) + ", cut at " + std::to_string(cut));
      const auto bytes = made.archive.substr(0, cut);
      std::size_t at = 0;
      const auto pipe = [&] {
        std::string out;
        codec->decompress_stream(
            [&](std::span<std::byte> room) {
              const auto n = std::min(room.size(), bytes.size() - at);
              std::copy_n(std::as_bytes(std::span(bytes)).begin() + static_cast<std::ptrdiff_t>(at), n, room.begin());
              at += n;
              return n;
            },
            [&](View piece) { out += text_of(piece); });
        return out;
      };
      if (cut == made.archive.size() || cut + index_bytes == made.archive.size()) {
        EXPECT_EQ(pipe(), made.content);
        EXPECT_EQ(read_back(file, bytes, made.content), made.content);
      } else {
        EXPECT_THROW(read_back(file, bytes, made.content), Error);
        EXPECT_THROW(pipe(), Error);
      }
    }
    // One archive behind the other, of which the first was cut.
    EXPECT_EQ(read_back(file, made.archive + made.archive, made.content + made.content), made.content + made.content);
    EXPECT_THROW(read_back(file, made.archive.substr(0, made.archive.size() - made.tail_bytes) + made.archive,
                           made.content + made.content),
                 Error)
        << format.name;
  }
}

// More blocks than one member of the index has; and none.
TEST(Archive, the_index_of_gzip_has_any_number_of_blocks) {
  const test::Scratch scratch;
  const auto file = scratch.path() / "a";
  const auto codec = make_codec(Codec::Kind::gzip, 1);
  for (const std::size_t n : {0, 1, 4999, 5000, 5001, 12000}) {
    const auto container = make_container(Codec::Kind::gzip, 1);
    std::string content, archive = text_of(container->head());
    for (std::size_t i = 0; i < n; ++i) {
      const Bytes in(i % 3 + 1, static_cast<std::byte>(i));
      Bytes out;
      const auto note = codec->compress(in, out);
      container->add({.at = archive.size(), .bytes = out.size(), .from = content.size(), .size = in.size()}, note);
      content += text_of(in);
      archive += text_of(out);
    }
    archive += text_of(container->tail({}));
    EXPECT_EQ(read_back(file, archive, content), content) << n;
    EXPECT_EQ(read_archive(file).entries.size(), std::max<std::size_t>(1, n));
  }
}

// Two errors that compensate: the sizes of two parts, with the right sum.
TEST(Archive, sizes_are_the_frames_own) {
  const test::Scratch scratch;
  auto made = make_archive(Codec::Kind::zstd);
  const auto row = [&](std::size_t k) {
    return made.archive.size() - made.tail_bytes + 8 + 8 * (k + 1) + 4;
  };  // behind that of the head
  made.archive[row(0)] = static_cast<char>(made.archive[row(0)] + 16);
  made.archive[row(1)] = static_cast<char>(made.archive[row(1)] - 16);
  EXPECT_EQ(read_back(scratch.path() / "a.zst", made.archive, made.content), made.content);
}

// Frames that a seek table's entry hides behind a skippable, an empty or a whole frame, which `zstd -d` writes.
TEST(Archive, an_entry_of_the_seek_table_is_one_frame) {
  const test::Scratch scratch;
  const auto file = scratch.path() / "a.zst";
  const auto codec = make_codec(Codec::Kind::zstd, 3);
  const auto frame_of = [&](const std::string& text) {
    Bytes out;
    codec->compress(std::as_bytes(std::span(text)), out);
    return text_of(out);
  };
  const std::string a(1000, 'A'), b(2000, 'B'), skipped("\x50\x2a\x4d\x18\x04\0\0\0four", 12);
  struct Hiding {
    std::string before, shown;
  };
  for (const auto& [before, shown] : {Hiding{skipped, ""}, Hiding{skipped + skipped, ""}, Hiding{frame_of(""), ""},
                                      Hiding{frame_of("first"), "first"}}) {
    const auto hidden = before + frame_of(a);
    std::ostringstream table;
    write_seek_table(table,
                     {{.bytes = hidden.size(), .size = shown.size()}, {.bytes = frame_of(b).size(), .size = b.size()}});
    const auto bytes = hidden + frame_of(b) + table.str();
    const auto content = shown + a + b;
    SCOPED_TRACE(before.size());
    try {
      EXPECT_EQ(read_back(file, bytes, content, 0), content);
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("not one zstd frame"));
    }
    EXPECT_EQ(read_back(file, bytes, content, content.size()), content);  // with a range, no part may be trusted
  }
}

// A file that becomes shorter while it is read.
TEST(Archive, what_has_become_shorter_is_told) {
  const test::Scratch scratch;
  const Source source(scratch.write("a.zst", std::string(100000, 'x')));
  fs::resize_file(scratch.path() / "a.zst", 4096);
  EXPECT_EQ(source.piece(4000, 96).size(), 96U);
  EXPECT_THAT(testing::error_of([&] { source.piece(4000, 97); }), ::testing::HasSubstr("it has become shorter"));
}

}  // namespace
}  // namespace weft::pack
