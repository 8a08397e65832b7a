// SPDX-License-Identifier: BSD-3-Clause
#include "program/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "program/section_reader.hpp"
#include "weft/error.hpp"
#include "weft/file/read_text.hpp"

namespace weft::program {
namespace {

struct TomlTrouble {
  std::size_t at = std::string_view::npos;  ///< npos: no problem
  std::string_view what{};                  ///< what is wrong, and what to do about it
};

// The position after the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool long_one = text.substr(at, 3) == three;
  for (at += long_one ? 3 : 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (long_one && text.substr(at, 3) == three) {
      at += 3;  // two more quotes may belong to the text
      return std::min(text.find_first_not_of(quote, at), std::min(at + 2, text.size()));
    } else if (!long_one && (text[at] == quote || text[at] == '\n')) {
      return at + (text[at] == quote ? 1 : 0);
    }
  }
  return text.size();
}

// Whether a backslash and blanks precede a letter that is not ASCII, in a text in triple quotes that joins lines.
bool joins_before_letter(std::string_view text) {
  for (auto at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 2)) {
    const auto next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next != std::string_view::npos && static_cast<unsigned char>(text[next]) >= 0x80) return true;
  }
  return false;
}

// The state of a scan in TOML's grammar, the same as toml++'s up to the first error.
class ScanState {
 public:
  bool in_value() const { return value_; }
  /// Whether the scan is inside a value that only a blank or a delimiter ends.
  bool in_word() const { return value_ && word_; }
  bool too_deep() const { return open_.size() > most || dots_ >= most; }

  void take(char c) {
    const bool in_list = open_.ends_with('['), in_section = open_.ends_with('{');
    if (c == ' ' || c == '\t' || c == '\r') {
      word_ = false;
    } else if (c == '\n') {
      begin(value_ && !open_.empty());
    } else if (c == '=') {
      begin(true);
    } else if (c == ',') {
      begin(in_list);
    } else if (value_ && (c == '[' || c == '{')) {
      open_ += c;
      begin(c == '[');
    } else if ((in_list && c == ']') || (in_section && c == '}')) {
      open_.pop_back();
      value_ = word_ = true;
    } else {
      word_ = true;
      if (!value_ && c == '.') ++dots_;
    }
  }

 private:
  static constexpr std::size_t most = 32;  // of brackets, and of the parts of a key

  void begin(bool value) {
    value_ = value;
    word_ = false;
    dots_ = 0;
  }

  std::string open_;  // open brackets of values
  bool value_ = false, word_ = false;
  std::size_t dots_ = 0;
};

// Finds input that toml++ (3.3) can't handle, in one pass. toml++ creates and destroys nested values by recursion, and
// creates one section per part of a key (a.b.c): about 100 kB of them overflow the stack. Where a blank is allowed, it
// tests letters such as U+02CA in a function that can reach its end without a return value, so a letter there must be
// ASCII.
TomlTrouble find_toml_trouble(std::string_view text) {
  ScanState state;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool quote = c == '"' || c == '\'';
    if ((state.in_word() && (quote || c == '[' || c == '{')) || (state.in_value() && c == '='))
      return {at, "Another value begins inside a value. Separate them by a comma or a new line."};
    if (quote) {
      const auto end = end_of_string(text, at);
      const auto whole = text.substr(at, end - at);
      if (whole.starts_with("\"\"\"") && joins_before_letter(whole))
        return {at, "A letter that is not ASCII follows a backslash in this text. Write the text on one line."};
      state.take('a');  // treated as a word
      at = end;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (static_cast<unsigned char>(c) >= 0x80)
      return {at, "A letter that is not ASCII is outside of quotes. Put the text in quotes."};
    state.take(c);
    if (state.too_deep())
      return {at, "Lists or sections are nested more than 32 deep (no key needs that). Nest them less."};
    ++at;
  }
  return {};
}

using Where = std::function<std::string(const toml::node&)>;

Value converted(const toml::node& node, const Where& where) {
  Value value{Value::Other{}, where(node)};
  if (const auto* table = node.as_table()) {
    Section section;
    for (const auto& [key, child] : *table)
      section.entries.push_back({std::string(key.str()), converted(child, where)});
    value.data = std::move(section);
  } else if (const auto* array = node.as_array()) {
    List list;
    for (const auto& child : *array) list.push_back(converted(child, where));
    value.data = std::move(list);
  } else if (const auto* text = node.as_string()) {
    value.data = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.data = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.data = number->get();
  } else if (const auto* flag = node.as_boolean()) {
    value.data = flag->get();
  }
  return value;
}

}  // namespace

Value read_toml(const std::filesystem::path& file) {
  return parse_toml(read_text(file, "Give the path of a case file."), file);
}

Value parse_toml(const std::string& text, const std::filesystem::path& file) {
  if (const auto [at, what] = find_toml_trouble(text); at != std::string::npos)
    throw InputError(fmt::format("{}:{}: {}", file.string(), 1 + std::ranges::count(text.substr(0, at), '\n'), what));
  try {
    const toml::table table = toml::parse(text, file.string());
    return converted(table, [&](const toml::node& node) {
      return fmt::format("{}:{}", file.string(), std::max(node.source().begin.line, toml::source_index{1}));
    });
  } catch (const toml::parse_error& e) {
    std::string description(e.description());
    std::replace(description.begin(), description.end(), '\n', ' ');
    throw InputError(fmt::format("{}:{}: {}", file.string(), e.source().begin.line, description));
  }
}

Value parse_toml_value(std::string_view text, const std::string& where) {
  try {
    if (find_toml_trouble(text).at != std::string::npos) return {std::string(text), where};
    const toml::table table = toml::parse(fmt::format("value = {}", text));
    if (const auto* node = table.get("value"); node != nullptr && table.size() == 1)
      return converted(*node, [&](const toml::node&) { return where; });
  } catch (const toml::parse_error&) {
    // Not TOML: a string without quotes, as on a command line.
    const auto digits = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
    constexpr std::size_t most_digits = std::numeric_limits<std::int64_t>::digits10;
    if (digits.size() > most_digits && digits.find_first_not_of("0123456789") == std::string_view::npos)
      fail({Value::Other{}, where}, "The whole number is too large (it has more than 64 bits). Give a smaller number.");
  }
  return {std::string(text), where};
}

}  // namespace weft::program
