// SPDX-License-Identifier: BSD-3-Clause
#include "program/value.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::program {

const Value* Section::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

Value* Section::find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

void Section::erase(std::string_view key) {
  std::erase_if(entries, [&](const Entry& e) { return e.key == key; });
}

std::string_view type_name(const Value& value) {
  static constexpr std::array<std::string_view, 8> names = {
      "true or false", "a whole number", "a number", "a text", "a list", "a section", "a date or time", "null"};
  return names[value.data.index()];
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 60;
  auto size = std::min(text.size(), longest);
  if (size < text.size())
    // not in the middle of a character
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  auto result = std::string(text.substr(0, size));
  for (auto& c : result)
    if ((c >= 0 && c < ' ') || c == 0x7f) c = '?';
  return "'" + result + (size < text.size() ? "..." : "") + "'";
}

}  // namespace weft::program
