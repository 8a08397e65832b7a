// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// Appends numbers and texts in native byte order; for the header of a file.
class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  /// The length, then the characters.
  void put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes += text;
  }

  std::string bytes;
};

/// Reads the output of a ByteWriter. Throws EndError if the data end too early. Does not own the bytes.
class ByteReader {
 public:
  struct EndError {};

  explicit ByteReader(std::string_view bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  template <class T>
  T get() {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  void get(T& value) {
    value = get<T>();
  }
  std::string get_text() {
    const auto letters = get<std::uint64_t>();
    if (letters > left()) throw EndError();
    return {take(letters), letters};
  }
  std::size_t left() const { return at_ < bytes_.size() ? bytes_.size() - at_ : 0; }

 private:
  const char* take(std::size_t count) {
    if (count > left()) throw EndError();
    at_ += count;
    return bytes_.data() + at_ - count;
  }

  std::string_view bytes_;
  std::size_t at_;
};

/// The CRC-32 of zlib, PNG and Ethernet (polynomial 0xEDB88320, reflected). `before` is the CRC of the preceding bytes,
/// 0 for none. Pure.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace program
}  // namespace weft
