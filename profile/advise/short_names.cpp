// SPDX-License-Identifier: BSD-3-Clause
#include "advise/short_names.hpp"

#include <algorithm>
#include <cctype>

namespace weft::advise {
namespace {

constexpr std::string_view dots = "...";

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0; }

// Where the template arguments that begin here end; npos if it is another "<", as in "operator<" or "<lambda()>".
std::size_t end_of_arguments(std::string_view name, std::size_t from) {
  if (from == 0 || !(is_letter(name[from - 1]) || name[from - 1] == '_') || name.substr(0, from).ends_with("operator"))
    return name.npos;
  int depth = 0;
  for (auto at = from; at < name.size(); ++at) {
    if (name[at] == '<') ++depth;
    if (name[at] == '>' && name[at - 1] != '-' && --depth == 0) return at;
  }
  return name.npos;
}

}  // namespace

std::string without_details(const std::string& name) {
  std::string result;
  for (std::size_t at = 0; at < name.size(); ++at) {
    result += name[at];
    if (name[at] != '<') continue;
    const auto end = end_of_arguments(name, at);
    if (end == name.npos) continue;
    const auto inside = name.substr(at + 1, end - at - 1);
    result += inside.size() > dots.size() ? std::string(dots) : inside;
    at = end - 1;
  }
  constexpr std::string_view nameless = "(anonymous namespace)::";
  for (auto at = result.find(nameless); at != result.npos; at = result.find(nameless))
    result.erase(at, nameless.size());
  return result;
}

std::size_t whole_words(std::string_view text, std::size_t most) {
  if (most >= text.size()) return text.size();
  auto at = most;
  if (is_letter(text[at]))
    while (at > 0 && is_letter(text[at - 1])) --at;
  if (at > most / 2) return at;
  for (at = most; at > 0 && (text[at] & 0xc0) == 0x80;) --at;
  return at;
}

std::string short_name(const std::string& name, std::size_t most) {
  if (name.size() <= most) return name;
  auto shorter = without_details(name);
  if (shorter.size() <= most) return shorter;
  return shorter.substr(0, whole_words(shorter, most - std::min(most, dots.size()))) + std::string(dots);
}

}  // namespace weft::advise
