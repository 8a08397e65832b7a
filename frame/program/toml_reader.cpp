// SPDX-License-Identifier: BSD-3-Clause
#include "program/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include <toml++/toml.h>

#include "program/section_reader.hpp"
#include "program/toml_trouble.hpp"
#include "weft/error.hpp"
#include "weft/file/read_text.hpp"

namespace weft::program {

namespace {

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
