// SPDX-License-Identifier: BSD-3-Clause
//
// A TOML document as a plain tree in which every value knows where it was written. Keeps toml++ (slow to compile) in
// one source file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::program {

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
  struct Other {};  ///< dates and times, which no key of ours takes

  std::variant<bool, std::int64_t, double, std::string, List, Section, Other> data;
  std::string where;  ///< "case.toml:12", or the override it came from: "--set run.steps=5"
};

struct Entry {
  std::string key;
  Value value;
};

/// "a list": what a value is, for messages.
std::string_view type_name(const Value& value);

/// The document as a Section. Throws InputError: file, line, what is wrong.
Value read_toml(const std::filesystem::path& file);

/// What stands right of the equals sign; text that is no TOML value is taken as a string.
Value parse_toml_value(std::string_view text, const std::string& where);

}  // namespace weft::program
