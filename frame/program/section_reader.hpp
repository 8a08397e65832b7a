// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "program/quantity.hpp"
#include "program/value.hpp"
#include "weft/names.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// The range of a number.
enum class Range : std::uint8_t { any, not_negative, positive };

/// The word among `candidates` that is closest to a misspelt one, or nothing.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// " Did you mean 'viscosity'?", or `otherwise`.
std::string suggestion(std::string_view word, std::span<const std::string> candidates, std::string_view otherwise = {});

/// "a, b, c"
std::string joined(std::span<const std::string> words);

/// Throws InputError that begins with the place of the value.
[[noreturn]] void fail(const Value& value, const std::string& what);

/// Reads typed values from one section of a case file, or from one object of JSON. Every error is an InputError with
/// the place (file and line), the key and the allowed values. A key without a default is required.
class SectionReader {
 public:
  /// `name` is for messages, for example "in [fluid]". Throws if the value is not a section or has a key that is not in
  /// `keys`.
  SectionReader(const Value& section, std::string name, std::vector<std::string> keys);

  const Value* find(std::string_view key) const { return section_->find(key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool is_null(std::string_view key) const { return has(key) && std::get_if<Value::Nothing>(&find(key)->data); }
  /// The value of a required key.
  const Value& required(std::string_view key) const;
  /// The value of an optional section; empty if it is missing.
  const Value& section_or_empty(std::string_view key) const;

  /// A number in SI units (times `unit`, for keys in another unit), or a text with a unit.
  double quantity(std::string_view key, Dimension dimension, Range range, std::optional<double> fallback = {},
                  double unit = 1) const;
  double number(std::string_view key, Range range, double fallback) const;
  /// A number from `low` to `high`. `unit` is for messages.
  double number(std::string_view key, double low, double high, std::optional<double> fallback = {},
                std::string_view unit = {}) const;
  /// The default limit leaves room for exact sums and products with small numbers.
  std::int64_t whole_number(std::string_view key, std::int64_t lowest, std::optional<std::int64_t> fallback = {},
                            std::int64_t highest = 1'000'000'000'000'000) const;
  std::string text(std::string_view key, const std::optional<std::string>& fallback = {}) const;
  /// A text that may be empty; empty if the key is missing.
  std::string text_or_empty(std::string_view key) const;
  bool flag(std::string_view key, bool fallback) const;
  /// Three numbers, times `unit`.
  std::array<double, 3> vector(std::string_view key, double unit = 1) const;
  /// A list of n numbers from -reach to reach.
  template <class T, std::size_t n>
  std::array<T, n> numbers(std::string_view key, double reach, const std::array<T, n>& fallback) const {
    if (!has(key)) return fallback;
    const auto& list = list_of(key, n);
    std::array<T, n> result;
    for (std::size_t k = 0; k < n; ++k) result[k] = static_cast<T>(bounded(list[k], title(key), -reach, reach));
    return result;
  }
  /// A list of at most `most` values.
  const List& list(std::string_view key, std::size_t most) const;
  /// Three numbers with a length from 1e-15 to 1e15. `example` describes a valid value, for messages.
  std::array<double, 3> direction(std::string_view key, std::string_view example) const;
  /// The value with this name. Without a fallback the key is required.
  template <class Choice>
  Choice choice(std::string_view key, const Names<Choice>& names,
                std::optional<std::type_identity_t<Choice>> fallback = {}) const {
    if (fallback && !has(key)) return *fallback;
    const auto word = text(key);
    if (const auto value = names.find(word)) return *value;
    no_choice(key, word, names.all());
  }

  /// The one key of `keys` that is given; throws if none or several are given.
  std::string_view exactly_one_of(std::initializer_list<std::string_view> keys) const;

  /// A quantity at any place (for example in a list), called `what` in messages.
  double quantity_of(const Value& value, const std::string& what, Dimension dimension, Range range,
                     double unit = 1) const;
  /// "voxel in [surface]"
  std::string title(std::string_view key) const;

 private:
  const List& list_of(std::string_view key, std::size_t size) const;
  double bounded(const Value& value, const std::string& what, double low, double high,
                 std::string_view unit = {}) const;
  [[noreturn]] void no_choice(std::string_view key, const std::string& word,
                              std::span<const std::string> choices) const;
  [[noreturn]] void wrong_type(const Value& value, const std::string& what, std::string_view expected) const;
  double scaled(const Value& value, const std::string& what, double number, Range range, double unit) const;
  double ranged(const Value& value, const std::string& what, double number, Range range) const;

  const Value* value_;
  const Section* section_;
  std::string name_;
};

/// The names of the faces of a box in case files: for axis a, 2 a is the lower face and 2 a + 1 the upper one.
inline constexpr std::array<const char*, 6> face_names = {"-x", "+x", "-y", "+y", "-z", "+z"};

}  // namespace program
}  // namespace weft
