// SPDX-License-Identifier: BSD-3-Clause
#include "text/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace weft::text {
namespace {

// The number of bytes of the UTF-8 character at the start of `text`; 0 if it is invalid.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // overlong encodings, UTF-16 surrogates, values beyond the last character
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f)) return 0;
  if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) return 0;
  return length;
}

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  while (!text.empty()) {
    const auto length = character(text);
    if (length == 0) {
      result += '?';
    } else if (text[0] == '"' || text[0] == '\\') {
      (result += '\\') += text[0];
    } else if (const auto code = static_cast<unsigned char>(text[0]); is_control(code)) {
      ((result += "\\u00") += digits[code >> 4]) += digits[code & 15];
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result += '"';
}

std::string one_line(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto length = character(text);
    if (length == 0)
      result += '?';
    else if (is_control(static_cast<unsigned char>(text[0])))
      result += ' ';
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string json_array(std::span<const double> values) {
  std::string result = "[";
  for (const double value : values) {
    if (result.size() > 1) result += ',';
    std::array<char, 32> digits{};
    if (!std::isfinite(value)) {
      result += "null";
    } else {
      result.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    }
  }
  return result += ']';
}

}  // namespace weft::text
