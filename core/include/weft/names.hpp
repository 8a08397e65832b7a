// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/error.hpp"

namespace [[gnu::visibility("default")]] weft {

/// A value and its name in files and on command lines.
template <class Value>
struct Named {
  Value value;       ///< the value
  const char* name;  ///< its name
};

/// The names of an enumeration's values (or of the two values of a bool), defined once beside the enumeration: reading,
/// printing, help texts and error messages use the same table.
///
///     inline constexpr Names<Grouping> grouping_names("grouping", {{Grouping::per_peer, "per_peer"}, ...});
///     grouping_names.named("per_peer");  // Grouping::per_peer; throws an InputError for an unknown name
///
/// Names must be unique. Lists show them in the order of the table.
template <class Value>
class Names {
 public:
  /// `what`: the kind of value for error messages, as in "Unknown grouping 'x'."
  constexpr Names(const char* what, std::initializer_list<Named<Value>> table) : what_(what) {
    for (const auto& entry : table) table_.at(count_++) = entry;  // too many of them do not compile
  }

  /// The table, for iteration.
  constexpr const Named<Value>* begin() const { return table_.data(); }
  /// The table's end.
  constexpr const Named<Value>* end() const { return table_.data() + count_; }

  /// The name of a value; "?" if the table has none.
  constexpr const char* of(Value value) const {
    for (const auto& entry : *this)
      if (entry.value == value) return entry.name;
    return "?";
  }

  /// The value with this name, or nothing.
  constexpr std::optional<Value> find(std::string_view name) const {
    for (const auto& entry : *this)
      if (name == entry.name) return entry.value;
    return {};
  }
  /// The same, ignoring the case of letters.
  constexpr std::optional<Value> find_in_any_case(std::string_view name) const {
    for (const auto& entry : *this)
      if (same_but_case(name, entry.name)) return entry.value;
    return {};
  }
  /// The value with this name. Throws an InputError that lists the names if there is none, the same on all ranks.
  Value named(std::string_view name) const {
    if (const auto value = find(name)) return *value;
    throw InputError("Unknown " + std::string(what_) + " '" + std::string(name) + "'. Use one of: " + list() + ".",
                     true);
  }

  /// All names, for command lines that check them themselves.
  std::vector<std::string> all() const {
    std::vector<std::string> names;
    for (const auto& entry : *this) names.emplace_back(entry.name);
    return names;
  }
  /// All names as text: "per_peer, per_part, by_size".
  std::string list() const {
    std::string text;
    for (const auto& entry : *this) text += (text.empty() ? "" : ", ") + std::string(entry.name);
    return text;
  }

  /// The table without one of its values, for places that don't allow it.
  constexpr Names without(Value value) const {
    Names rest(what_, {});
    for (const auto& entry : *this)
      if (entry.value != value) rest.table_.at(rest.count_++) = entry;
    return rest;
  }

 private:
  static constexpr char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
  static constexpr bool same_but_case(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (small(a[k]) != small(b[k])) return false;
    return true;
  }

  const char* what_;
  std::array<Named<Value>, 12> table_{};
  std::size_t count_ = 0;
};

}  // namespace weft
