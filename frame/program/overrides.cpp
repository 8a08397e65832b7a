// SPDX-License-Identifier: BSD-3-Clause
#include "program/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "program/section_reader.hpp"
#include "weft/text.hpp"

namespace weft::program {

namespace {

std::vector<std::string> split_key(std::string_view key) {
  std::vector<std::string> words;
  for (;;) {
    const auto dot = key.find('.');
    words.emplace_back(trimmed(key.substr(0, dot)));
    if (dot == std::string_view::npos) return words;
    key.remove_prefix(dot + 1);
  }
}

/// The section of a list that has this name or, failing that, this number.
Value& find_entry(List& list, const std::string& kind, const std::string& word, const Value& place) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto* section = std::get_if<Section>(&list[i].data);
    const auto* name = section == nullptr ? nullptr : section->find("name");
    const auto* text = name == nullptr ? nullptr : std::get_if<std::string>(&name->data);
    names.push_back(text == nullptr ? std::to_string(i) : *text);
    if (names.back() == word) return list[i];
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc{} && end == word.data() + word.size() && number < list.size()) return list[number];
  fail(place, fmt::format("There is no {} '{}' (there are: {}).{}", kind, word, joined(names),
                          suggestion(word, names, " Give one of these.")));
}

}  // namespace

bool Override::exclude(std::initializer_list<std::string_view> keys) const {
  const auto key = section->entries.back().key;
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) return false;
  for (const auto other : keys)
    if (other != key) section->erase(other);
  return true;
}

Override apply_override(Value& document, const std::string& text) {
  const Value place{Value::Other{}, "--set " + text};
  const auto equals = text.find('=');
  if (equals == std::string::npos) fail(place, "There is no '='. Give key=value, for example run.steps=100.");
  const auto words = split_key(std::string_view(text).substr(0, equals));
  for (const auto& word : words)
    if (word.empty()) fail(place, "The key is empty or has an empty part. Give key=value, for example run.steps=100.");
  return set_value(document, words, parse_toml_value(trimmed(std::string_view(text).substr(equals + 1)), place.where));
}

Override set_value(Value& document, const std::vector<std::string>& words, Value value) {
  const Value place{Value::Other{}, value.where};
  auto* section = &std::get<Section>(document.data);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    auto* child = section->find(words[i]);
    if (child == nullptr) child = &section->entries.emplace_back(Entry{words[i], {Section{}, place.where}}).value;
    if (auto* list = std::get_if<List>(&child->data); list != nullptr && i + 2 < words.size()) {
      child = &find_entry(*list, words[i], words[i + 1], place);
      ++i;
    }
    section = std::get_if<Section>(&child->data);
    if (section == nullptr)
      fail(place, fmt::format("{} is {}, not a section. Give a key like run.steps or, in a list, outlet.NAME.pressure.",
                              words[i], type_name(*child)));
  }
  section->erase(words.back());
  section->entries.push_back({words.back(), std::move(value)});
  return {words.front(), section};
}

}  // namespace weft::program
