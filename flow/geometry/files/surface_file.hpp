// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "weft/error.hpp"

namespace weft::geometry::files {

/// The content of a file, and errors that begin with its name.
struct SurfaceFile {
  std::filesystem::path path;
  std::string bytes{};

  [[noreturn]] void refuse(const std::string& what) const { throw InputError(path.string() + ": " + what); }
  [[noreturn]] void refuse_line(std::size_t line, const std::string& what) const {
    refuse("line " + std::to_string(line) + ": " + what);
  }
  [[noreturn]] void refuse_byte(std::size_t offset, const std::string& what) const {
    refuse("byte " + std::to_string(offset) + ": " + what);
  }
};

/// The words of a text with their line numbers.
class Words {
 public:
  /// `format`: for messages, such as "ASCII STL". `line`: the line of the text's first letter in its file.
  Words(const SurfaceFile& file, std::string_view text, std::string_view format, std::size_t line = 1)
      : file_(file), text_(text), format_(format), line_(line) {}

  std::size_t line() const { return line_; }
  /// Empty at the end of the text.
  std::string_view next();
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  /// Without blanks around it.
  std::string_view rest_of_line() {
    const auto start = at_;
    skip_line();
    auto rest = text_.substr(start, at_ - start);
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
    while (!rest.empty() && is_space(rest.back())) rest.remove_suffix(1);
    return rest;
  }
  /// Reads the next word; throws if it is not `keyword`.
  void expect(std::string_view keyword);
  /// A finite number.
  double number();

  [[noreturn]] void fail(const std::string& what) const { file_.refuse_line(line_, what); }
  [[noreturn]] void unexpected(std::string_view word, std::string_view wanted) const;
  /// Compares without case; the keyword is in lower case.
  static bool same(std::string_view word, std::string_view keyword);
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

 private:
  const SurfaceFile& file_;
  std::string_view text_, format_;
  std::size_t at_ = 0, line_ = 1;
};

/// The type of a number in a binary file.
enum class NumberType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

constexpr std::size_t size_of(NumberType type) {
  constexpr std::array<std::size_t, 10> sizes = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

/// As double: a whole number beyond 2^53, which no vertex index reaches, is rounded. `turned`: the bytes are in the
/// opposite order of this machine's.
inline double number_at(const char* bytes, NumberType type, bool turned) {
  std::array<char, 8> own{};
  std::memcpy(own.data(), bytes, size_of(type));
  if (turned) std::reverse(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(size_of(type)));
  const auto as = [&](auto value) {
    std::memcpy(&value, own.data(), sizeof value);
    return static_cast<double>(value);
  };
  switch (type) {
    case NumberType::int8: return as(std::int8_t{});
    case NumberType::uint8: return as(std::uint8_t{});
    case NumberType::int16: return as(std::int16_t{});
    case NumberType::uint16: return as(std::uint16_t{});
    case NumberType::int32: return as(std::int32_t{});
    case NumberType::uint32: return as(std::uint32_t{});
    case NumberType::int64: return as(std::int64_t{});
    case NumberType::uint64: return as(std::uint64_t{});
    case NumberType::float32: return as(float{});
    case NumberType::float64: return as(double{});
  }
  return 0;
}

/// For messages.
inline std::string number_text(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15g", number);
  return text.data();
}

}  // namespace weft::geometry::files
