// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace weft::geometry::files {

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
