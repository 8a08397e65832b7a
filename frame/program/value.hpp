// SPDX-License-Identifier: BSD-3-Clause
//
// The content of a file or message as a tree in which every value has its origin: the same for TOML (toml_reader.hpp)
// and JSON (json_reader.hpp), so that one reader of sections (section_reader.hpp) serves both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace [[gnu::visibility("default")]] weft {
namespace program {

struct Value;
struct Entry;

using List = std::vector<Value>;

struct Section {
  std::vector<Entry> entries;

  Value* find(std::string_view key);
  const Value* find(std::string_view key) const;
  void erase(std::string_view key);
};

struct Value {
  struct Other {};    ///< TOML's dates and times, which no key accepts
  struct Nothing {};  ///< JSON's null

  std::variant<bool, std::int64_t, double, std::string, List, Section, Other, Nothing> data;
  std::string where;  ///< "case.toml:12", the override it came from ("--set run.steps=5"), or "the command"
};

struct Entry {
  std::string key;
  Value value;
};

/// The type of a value for messages, for example "a list".
std::string_view type_name(const Value& value);

/// External text in a form fit for one line: in quotes, short, without control characters.
std::string shown(std::string_view text);

}  // namespace program
}  // namespace weft
