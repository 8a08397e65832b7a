// SPDX-License-Identifier: BSD-3-Clause
#include "program/toml_trouble.hpp"

#include <algorithm>
#include <cstdint>

namespace weft::program {

namespace {

// The place after the string that begins here.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool long_one = text.substr(at, 3) == three;
  for (at += long_one ? 3 : 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (long_one && text.substr(at, 3) == three) {
      at += 3;  // two more may belong to the text
      return std::min(text.find_first_not_of(quote, at), std::min(at + 2, text.size()));
    } else if (!long_one && (text[at] == quote || text[at] == '\n')) {
      return at + (text[at] == quote ? 1 : 0);
    }
  }
  return text.size();
}

// Whether a backslash, and any blanks, come before a letter that is not ASCII: in a text of three quotes that joins lines.
bool joins_before_letter(std::string_view text) {
  for (auto at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 2)) {
    const auto next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next != std::string_view::npos && static_cast<unsigned char>(text[next]) >= 0x80) return true;
  }
  return false;
}

}  // namespace

TomlTrouble find_toml_trouble(std::string_view text) {
  constexpr std::int64_t most = 32;  // of brackets, and of a key's parts in each
  std::int64_t brackets = 0, dots = 0;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  for (std::size_t at = text.starts_with(byte_order_mark) ? 3 : 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      if (at > 0 && std::string_view(" \t\r\n=,.[{").find(text[at - 1]) == std::string_view::npos)
        return {at, "a text begins in the middle of something else. put a comma or a line's end between."};
      const auto end = end_of_string(text, at);
      const auto whole = text.substr(at, end - at);
      if (whole.starts_with("\"\"\"") && joins_before_letter(whole))
        return {at, "a letter that is not ASCII follows a backslash in this text. write it on one line."};
      at = end;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.') ++dots;
    if (c == '[' || c == '{') ++brackets;
    if (c == ']' || c == '}') --brackets;
    if (std::string_view("[]{}=,\n").find(c) != std::string_view::npos) dots = 0;
    if (dots >= most || brackets > most)
      return {at, "lists or sections are nested more than 32 deep (no key is). take them apart."};
    if (static_cast<unsigned char>(c) >= 0x80)
      return {at, "a letter that is not ASCII is in no quotes. put the text in quotes."};
    ++at;
  }
  return {};
}

}  // namespace weft::program
