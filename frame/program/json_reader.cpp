// SPDX-License-Identifier: BSD-3-Clause
#include "program/json_reader.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "weft/error.hpp"

namespace weft::program {

using nlohmann::json;

namespace {

Value converted(const json& node, const std::string& where) {
  Value value{Value::Nothing{}, where};
  if (node.is_object()) {
    Section section;
    for (const auto& [key, child] : node.items()) section.entries.push_back({key, converted(child, where)});
    value.data = std::move(section);
  } else if (node.is_array()) {
    List list;
    for (const auto& child : node) list.push_back(converted(child, where));
    value.data = std::move(list);
  } else if (node.is_string()) {
    value.data = node.get<std::string>();
  } else if (node.is_boolean()) {
    value.data = node.get<bool>();
  } else if (node.is_number()) {
    const bool fits =
        node.is_number_integer() && (!node.is_number_unsigned() || node.get<std::uint64_t>() <= INT64_MAX);
    if (fits)
      value.data = node.get<std::int64_t>();
    else
      value.data = node.get<double>();
  }
  return value;
}

}  // namespace

Value parse_json(std::string_view text, const std::string& where, const JsonLimits& limits) {
  const auto refuse = [&](const std::string& what) { throw InputError(where + ": " + what); };
  if (text.size() > limits.longest)
    refuse(fmt::format("The text has {} characters (at most {} are allowed). Leave out optional keys.", text.size(),
                       limits.longest));
  if (const auto end = text.find('\0'); end != text.npos)  // the parser would treat it as the end
    refuse(fmt::format("This is not JSON (character {} is a zero byte). Remove it.", end + 1));
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if ((event == Event::object_start || event == Event::array_start) && depth >= limits.deepest)
      refuse(fmt::format("The JSON is nested too deeply (at most {} levels are allowed). Use fewer levels.",
                         limits.deepest));
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second)
      refuse(fmt::format("The key {} is given twice. Give each key once.", shown(parsed.get<std::string>())));
    return true;
  };
  json document;
  try {
    document = json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& e) {
    refuse(fmt::format("This is not JSON (error at character {}). Give one object in {{}}.", e.byte));
  } catch (const json::exception&) {
    refuse("A number is too large. Give finite numbers.");
  }
  if (!document.is_object())
    refuse(
        fmt::format("This is {} {}. Give one object in {{}}.", document.is_array() ? "an" : "a", document.type_name()));
  return converted(document, where);
}

}  // namespace weft::program
