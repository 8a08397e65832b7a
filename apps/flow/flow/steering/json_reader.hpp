// SPDX-License-Identifier: BSD-3-Clause
//
// Reading of JSON that nobody vouches for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "weft/names.hpp"

namespace weft::flow {

/// The object in a text. Throws InputError if it is too long, too deep, has a key twice, or is none.
nlohmann::json parse_object(std::string_view text, std::size_t longest, int deepest);

/// What came from outside, fit for a line of text: short, and printable.
std::string shown(std::string_view text);

/// An object of known keys. All but the constructor's arguments is borrowed. Throws InputError: what is wrong, what is
/// allowed.
class JsonReader {
 public:
  /// `title`: "the command", "scene.camera".
  JsonReader(const nlohmann::json& object, std::string title, std::initializer_list<std::string_view> keys);

  bool has(std::string_view key) const { return object_.contains(key); }
  bool is_null(std::string_view key) const { return has(key) && object_.at(std::string(key)).is_null(); }
  const nlohmann::json& at(std::string_view key) const;  ///< it has to be there

  std::string text(std::string_view key) const;
  double number(std::string_view key, double low, double high) const;
  double number(std::string_view key, double low, double high, double otherwise) const;
  std::int64_t whole_number(std::string_view key, std::int64_t low, std::int64_t high) const;
  bool flag(std::string_view key, bool otherwise) const;
  /// The value of a name. Without another one the key has to be there.
  template <class Value>
  Value choice(std::string_view key, const Names<Value>& names,
               std::optional<std::type_identity_t<Value>> otherwise = {}) const {
    if (otherwise && !has(key)) return *otherwise;
    const auto given = text(key);
    if (const auto value = names.find(given)) return *value;
    no_choice(key, given, names.list());
  }
  /// An array of so many numbers.
  template <class T, std::size_t n>
  std::array<T, n> vector(std::string_view key, double reach, const std::array<T, n>& otherwise) const {
    if (!has(key)) return otherwise;
    const auto& list = list_of(key, n);
    std::array<T, n> result;
    for (std::size_t k = 0; k < n; ++k) result[k] = static_cast<T>(number_of(list[k], name(key), -reach, reach));
    return result;
  }

  std::string name(std::string_view key) const;

 private:
  [[noreturn]] void no_choice(std::string_view key, std::string_view given, std::string_view allowed) const;
  const nlohmann::json& list_of(std::string_view key, std::size_t size) const;
  static double number_of(const nlohmann::json& value, const std::string& name, double low, double high);

  const nlohmann::json& object_;
  std::string title_;
};

}  // namespace weft::flow
