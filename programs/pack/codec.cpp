// SPDX-License-Identifier: BSD-3-Clause
#include "pack/codec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "weft/error.hpp"

namespace weft::pack {

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {Codec::Kind::zstd, "zstd", 1, 19, 3, std::size_t{4} << 20},
      {Codec::Kind::bzip2, "bzip2", 1, 9, 9, 900000},
      {Codec::Kind::gzip, "gzip", 1, 9, 6, std::size_t{1} << 20},
#ifdef WEFT_HAVE_LZMA
      {Codec::Kind::xz, "xz", 0, 9, 6, std::size_t{8} << 20},
#endif
  };
  return all;
}

std::string format_list() {
  std::string text;
  for (const auto& f : formats()) text += (text.empty() ? "" : ", ") + std::string(f.name);
  return text;
}

const Format& format_named(const std::string& name) {
  for (const auto& f : formats())
    if (name == f.name) return f;
  throw InputError("The codec '" + name + "' is unknown. Use one of " + format_list() + ".", true);
}

const Format& format_of(Codec::Kind kind) {
  for (const auto& f : formats())
    if (f.kind == kind) return f;
  throw InputError("This weft was built without xz (liblzma was not found). Use zstd, bzip2 or gzip.", true);
}

// xz's predecessor has no magic number. Recognised by its usual properties, a dictionary of 2^n or 3 * 2^n bytes, and a
// content size that is unknown or plausible, as liblzma does.
bool is_lzma(View first) {
  constexpr std::size_t head = 13;
  if (first.size() < head || first[0] != std::byte{0x5d}) return false;
  const auto number = [&](std::size_t from, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(first[from + i]);
    return value;
  };
  const auto dictionary = number(1, 4), size = number(5, 8);
  const auto odd = dictionary > 0 ? dictionary >> std::countr_zero(dictionary) : 0;
  return (odd == 1 || odd == 3 || dictionary == 0xffffffff) && (size == Codec::unknown || size >> 38 == 0);
}

const Format* format_of(View first) {
  const auto begins = [&](const char* magic, std::size_t n) {
    return first.size() >= n && std::memcmp(first.data(), magic, n) == 0;
  };
  const auto known = [](Codec::Kind kind) -> const Format* {
    for (const auto& f : formats())
      if (f.kind == kind) return &f;
    return nullptr;
  };
  const bool skippable = first.size() >= 4 && (first[0] & std::byte{0xf0}) == std::byte{0x50} &&
                         std::memcmp(first.data() + 1, "\x2a\x4d\x18", 3) == 0;
  if (begins("\x28\xb5\x2f\xfd", 4) || skippable) return known(Codec::Kind::zstd);
  if (begins("BZh", 3) && first.size() > 3 && first[3] >= std::byte{'1'} && first[3] <= std::byte{'9'})
    return known(Codec::Kind::bzip2);
  if (begins("\x1f\x8b", 2)) return known(Codec::Kind::gzip);
  if (begins("\xfd"
             "7zXZ\0",
             6) ||
      is_lzma(first))
    return known(Codec::Kind::xz);
  return nullptr;
}

std::unique_ptr<Codec> make_codec(Codec::Kind kind, int level, [[maybe_unused]] int check) {
  const auto& format = format_of(kind);
  if (level < format.lowest_level || level > format.highest_level)
    throw InputError(std::string(format.name) + " has no level " + std::to_string(level) +
                         " (levels: " + std::to_string(format.lowest_level) + " to " +
                         std::to_string(format.highest_level) + "). Give one of these levels.",
                     true);
  switch (kind) {
    case Codec::Kind::zstd: return detail::make_zstd(level);
    case Codec::Kind::bzip2: return detail::make_bzip2(level);
    case Codec::Kind::gzip: return detail::make_gzip(level);
    case Codec::Kind::xz:
#ifdef WEFT_HAVE_LZMA
      return detail::make_xz(level, check);
#endif
      break;
  }
  return nullptr;
}

void detail::decompress_whole(const std::function<void(const Codec::Read&, const Codec::Write&)>& stream, View in,
                              std::uint64_t expected, Bytes& out) {
  out.clear();
  decompress_whole(stream, in, expected, [&](View piece) { out.insert(out.end(), piece.begin(), piece.end()); });
}

void detail::decompress_whole(const std::function<void(const Codec::Read&, const Codec::Write&)>& stream, View in,
                              std::uint64_t expected, const Codec::Write& write) {
  constexpr std::uint64_t gigabyte = std::uint64_t{1} << 30, usual = 64;
  const bool known = expected != Codec::unknown;
  const auto most = known ? expected : gigabyte + usual * in.size();
  std::size_t at = 0;
  std::uint64_t done = 0;
  stream(
      [&](std::span<std::byte> room) {
        const auto n = std::min(room.size(), in.size() - at);
        std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(at), n, room.begin());
        at += n;
        return n;
      },
      [&](View piece) {
        done += piece.size();
        if (done > most && !known)
          throw Error("A part contains more than " + std::to_string(most) +
                      " bytes (too much for the memory). Unpack it with the codec's own program.");
        if (done > most) check_size(expected, done);
        write(piece);
      });
  check_size(expected, done);
}

void detail::check_size(std::uint64_t expected, std::uint64_t bytes) {
  if (expected != Codec::unknown && bytes != expected)
    throw Error("The data are damaged (a part contains " + std::string(bytes < expected ? "less" : "more") +
                " than the index states). Copy or create the archive again.");
}

}  // namespace weft::pack
