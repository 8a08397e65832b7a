// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/files/vtp_array.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "geometry/files/surface_file.hpp"

namespace weft::geometry::files {

namespace {

constexpr std::size_t most_packing = 1100;  // zlib packs no more than 1032 bytes into one

std::optional<NumberType> vtp_type(std::string_view name) {
  using enum NumberType;
  constexpr std::array<std::pair<std::string_view, NumberType>, 10> names = {{{"Int8", int8},
                                                                              {"UInt8", uint8},
                                                                              {"Int16", int16},
                                                                              {"UInt16", uint16},
                                                                              {"Int32", int32},
                                                                              {"UInt32", uint32},
                                                                              {"Int64", int64},
                                                                              {"UInt64", uint64},
                                                                              {"Float32", float32},
                                                                              {"Float64", float64}}};
  for (const auto& [known, type] : names)
    if (known == name) return type;
  return {};
}

int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Bytes stored raw or as base64. A group of four letters that ends in '=' ends one encoded piece, and the next piece
// follows it (VTK encodes the lengths of compressed data separately).
class ByteSource {
 public:
  ByteSource(std::string_view text, bool is_raw) : text_(text), is_raw_(is_raw) {}

  /// Empty if there are fewer bytes.
  std::optional<std::string> take(std::uint64_t count) {
    if (is_raw_) {
      if (count > text_.size() - at_) return {};
      at_ += count;
      return std::string(text_.substr(at_ - count, count));
    }
    if (count > text_.size()) return {};
    while (ready_.size() < count)
      if (!decode_group()) return {};
    auto bytes = ready_.substr(0, count);
    ready_.erase(0, count);
    return bytes;
  }

 private:
  bool decode_group() {
    // Many groups at a time: each take moves the decoded bytes.
    for (int groups = 0; groups < 4096; ++groups) {
      std::array<int, 4> group{};
      std::size_t letters = 0, filled = 0;
      while (letters < 4 && at_ < text_.size()) {
        const char c = text_[at_];
        if (Words::is_space(c)) {
          ++at_;
          continue;
        }
        const int value = sextet(c);
        if (value < 0 && c != '=') break;
        if (value >= 0) group[letters] = value, filled = letters + 1;
        ++letters;
        ++at_;
      }
      if (letters < 4 || filled < 2) return groups > 0;
      const unsigned bits = static_cast<unsigned>(group[0]) << 18U | static_cast<unsigned>(group[1]) << 12U |
                            static_cast<unsigned>(group[2]) << 6U | static_cast<unsigned>(group[3]);
      for (std::size_t k = 0; k + 1 < filled; ++k) ready_.push_back(static_cast<char>(bits >> (16U - 8U * k) & 0xFFU));
    }
    return true;
  }

  std::string_view text_;
  bool is_raw_;
  std::size_t at_ = 0;
  std::string ready_;
};

class ArrayReader {
 public:
  ArrayReader(const SurfaceFile& file, const VtpEncoding& encoding, pugi::xml_node array)
      : file_(file), encoding_(encoding), array_(array) {}

  std::vector<double> run() {
    const std::string_view format = array_.attribute("format").as_string("ascii");
    const auto type = vtp_type(array_.attribute("type").value());
    if (!type)
      fail(std::string("The type is \"") + array_.attribute("type").value() +
           "\" (weft reads Int8 to UInt64, Float32 and Float64). Save the surface again.");
    const std::string_view inside = array_.text().get();
    if (format == "ascii") return read_words(inside);
    if (format == "binary") return numbers(unpack(ByteSource(inside, false)), *type);
    if (format != "appended")
      fail("The format is \"" + std::string(format) +
           "\" (weft reads ascii, binary and appended). Save the surface again.");
    const std::string_view text = array_.attribute("offset").value();
    std::uint64_t offset = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || offset > encoding_.appended.size())
      fail("The offset is \"" + std::string(text) + "\" (the appended data have " +
           std::to_string(encoding_.appended.size()) + " bytes). Save the surface again.");
    return numbers(unpack(ByteSource(encoding_.appended.substr(offset), encoding_.is_appended_raw)), *type);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    file_.refuse_line(vtp_line(file_, array_),
                      std::string("array \"") + array_.attribute("Name").value() + "\": " + what);
  }
  [[noreturn]] void fail_at_end() const {
    fail("The data end too early (the file is truncated). Save the surface again.");
  }

  std::vector<double> read_words(std::string_view text) const {
    Words words(file_, text, "ASCII VTP", vtp_line(file_, array_));
    std::vector<double> result;
    for (;;) {
      auto ahead = words;
      if (ahead.next().empty()) return result;
      result.push_back(words.number());
    }
  }

  std::uint64_t word(const std::string& bytes, std::size_t k) const {
    const std::size_t size = encoding_.has_long_words ? 8 : 4;
    std::uint64_t value = 0;
    for (std::size_t b = 0; b < size; ++b) {
      const auto from = encoding_.is_turned ? b : size - 1 - b;  // the highest first
      value = value << 8U | static_cast<unsigned char>(bytes[k * size + from]);
    }
    return value;
  }

  std::string take(ByteSource& source, std::uint64_t count) const {
    auto bytes = source.take(count);
    if (!bytes) fail_at_end();
    return std::move(*bytes);
  }

  // Reads the array's bytes: a length and the data; or, for compressed data, the number of blocks, their size, the size
  // of the last block, and the compressed size of each.
  std::string unpack(ByteSource source) const {
    const std::uint64_t size = encoding_.has_long_words ? 8 : 4;
    if (!encoding_.is_packed) return take(source, word(take(source, size), 0));
    const auto first = take(source, 3 * size);
    const auto blocks = word(first, 0), block_bytes = word(first, 1), last_bytes = word(first, 2);
    if (blocks > file_.bytes.size()) fail_at_end();
    const auto lengths = take(source, blocks * size);
    std::string result;
    for (std::uint64_t k = 0; k < blocks; ++k) {
      const auto packed = take(source, word(lengths, k));
      const auto wanted = k + 1 == blocks && last_bytes > 0 ? last_bytes : block_bytes;
      if (wanted > most_packing * (packed.size() + 64))
        fail("A compressed block has a wrong length. Save the surface again.");
      const auto before = result.size();
      result.resize(before + wanted);
      auto unpacked = static_cast<uLongf>(wanted);
      const int status = ::uncompress(reinterpret_cast<Bytef*>(result.data() + before), &unpacked,
                                      reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
      if (status != Z_OK || unpacked != wanted) fail("A compressed block is damaged. Save the surface again.");
    }
    return result;
  }

  std::vector<double> numbers(const std::string& bytes, NumberType type) const {
    const auto size = size_of(type);
    if (bytes.size() % size != 0)
      fail(std::to_string(bytes.size()) + " bytes are no multiple of the size of its type. Save the surface again.");
    std::vector<double> result(bytes.size() / size);
    for (std::size_t k = 0; k < result.size(); ++k)
      result[k] = number_at(bytes.data() + k * size, type, encoding_.is_turned);
    return result;
  }

  const SurfaceFile& file_;
  const VtpEncoding& encoding_;
  pugi::xml_node array_;
};

}  // namespace

std::vector<double> vtp_numbers(const SurfaceFile& file, const VtpEncoding& encoding, pugi::xml_node array) {
  return ArrayReader(file, encoding, array).run();
}

std::size_t vtp_line(const SurfaceFile& file, pugi::xml_node element) {
  const auto end = file.bytes.begin() + std::min<std::ptrdiff_t>(std::max<std::ptrdiff_t>(element.offset_debug(), 0),
                                                                 static_cast<std::ptrdiff_t>(file.bytes.size()));
  return 1 + static_cast<std::size_t>(std::count(file.bytes.begin(), end, '\n'));
}

}  // namespace weft::geometry::files
