// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] weft {

/// The text without blanks, tabs and carriage returns at its ends.
inline std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

/// The text as a string of JSON or TOML, in double quotes. Control characters except line feeds become blanks.
inline std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return result + '"';
}

}  // namespace weft
