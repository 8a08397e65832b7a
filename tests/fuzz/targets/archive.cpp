// SPDX-License-Identifier: BSD-3-Clause
#include "pack/archive.hpp"

#include <algorithm>

#include "tests/fuzz/fuzz.hpp"
#include "weft/error.hpp"

namespace weft::fuzz {

namespace {

constexpr std::uint64_t most = std::uint64_t{1}
                               << 20;  // content that is looked at: a few bytes may stand for gigabytes
struct Enough {};

// Makes the codec's errors InputErrors, as `weft unpack` does.
void unpack_by(const std::filesystem::path& file, const std::function<void()>& action) {
  is_read(file, [&] {
    try {
      action();
    } catch (const InputError&) {
      throw;
    } catch (const Error& e) {
      throw InputError(file.string() + ": " + e.what());
    } catch (const Enough&) {
    }
  });
}

void look_at(const pack::Archive& archive, const std::filesystem::path& file, std::string_view bytes, bool has_index) {
  const auto view = std::as_bytes(std::span(bytes));
  const auto codec = pack::make_codec(archive.format->kind, archive.format->default_level, archive.xz_check);
  std::uint64_t end = 0, content = 0;
  for (const auto& e : archive.entries) {
    expect(e.at >= end && e.bytes <= view.size() && e.at <= view.size() - e.bytes, "a part beyond the file");
    constexpr std::uint64_t around = 14;  // the end of a stream of bytes, and the head of the next one
    if (archive.format->kind == pack::Codec::Kind::bzip2 && !has_index)
      expect(e.at <= end + around, "bytes that belong to no part");
    end = e.at + e.bytes;
    if (archive.sizes_known) expect(e.from == content, "parts that don't follow each other");
    content += e.size;
    if (e.size == pack::Codec::unknown || e.size > most) continue;
    unpack_by(file, [&] {
      weft::Bytes out;
      codec->decompress(view.subspan(e.at, e.bytes), e.size, out);
      expect(out.size() == e.size, "a part of another size");
    });
  }
  std::uint64_t written = 0;
  std::size_t at = 0;
  unpack_by(file, [&] {
    codec->decompress_stream(
        [&](std::span<std::byte> room) {
          const auto n = std::min(room.size(), view.size() - at);
          std::copy_n(view.begin() + static_cast<std::ptrdiff_t>(at), n, room.begin());
          at += n;
          return n;
        },
        [&](pack::View piece) {
          written += piece.size();
          if (written > most) throw Enough();
        });
  });
}

}  // namespace

void archive(Bytes bytes) {
  auto text = text_of(bytes);
  std::string_view index;
  const bool has_index = text.starts_with('i');
  if (!text.empty()) text.remove_prefix(1);
  if (has_index) {
    index = text.substr(0, text.find('\0'));
    text.remove_prefix(std::min(index.size() + 1, text.size()));
  }
  const auto file = as_file(text, "packed");
  std::filesystem::remove(pack::index_path(file));
  if (has_index) as_file(index, "packed.index");
  is_read(file, [&] { look_at(pack::read_archive(file), file, text, has_index); });
}

}  // namespace weft::fuzz
