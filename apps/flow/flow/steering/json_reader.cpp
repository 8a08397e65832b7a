// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "weft/error.hpp"

namespace weft::flow {

using nlohmann::json;

namespace {

std::string listed(std::initializer_list<std::string_view> names) { return fmt::format("{}", fmt::join(names, ", ")); }

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  auto result = std::string(text.substr(0, longest));
  for (auto& c : result)
    if (c < ' ' || c > '~') c = '?';
  return "'" + result + (text.size() > longest ? "..." : "") + "'";
}

json parse_object(std::string_view text, std::size_t longest, int deepest) {
  if (text.size() > longest)
    throw InputError(fmt::format("the command has {} characters ({} are allowed). leave out what it doesn't need.",
                                 text.size(), longest));
  if (const auto end = text.find('\0'); end != text.npos)  // the parser would take it for the end
    throw InputError(fmt::format("the command is no JSON (character {} is a zero byte).", end + 1));
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if ((event == Event::object_start || event == Event::array_start) && depth >= deepest)
      throw InputError(fmt::format("the command is nested too deeply ({} levels are allowed).", deepest));
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw InputError(
          fmt::format("the command has the key {} twice. give each key once.", shown(parsed.get<std::string>())));
    return true;
  };
  json result;
  try {
    result = json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& e) {
    throw InputError(
        fmt::format("the command is no JSON (character {}). give one object like {{\"do\": \"pause\"}}.", e.byte));
  } catch (const json::exception&) {
    throw InputError("the command has a number beyond reason. give finite numbers.");
  }
  if (!result.is_object())
    throw InputError(fmt::format("the command is {} {}. give one object like {{\"do\": \"pause\"}}.",
                                 result.is_array() ? "an" : "a", result.type_name()));
  return result;
}

JsonReader::JsonReader(const json& object, std::string title, std::initializer_list<std::string_view> keys)
    : object_(object), title_(std::move(title)) {
  if (!object.is_object())
    throw InputError(
        fmt::format("{} is of type {}. give an object with the keys {}.", title_, object.type_name(), listed(keys)));
  for (const auto& entry : object.items())
    if (std::find(keys.begin(), keys.end(), entry.key()) == keys.end())
      throw InputError(
          fmt::format("{} has an unknown key {} (allowed: {}).", title_, shown(entry.key()), listed(keys)));
}

std::string JsonReader::name(std::string_view key) const { return fmt::format("'{}' of {}", key, title_); }

const json& JsonReader::at(std::string_view key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) throw InputError(fmt::format("{} has no '{}'. give it.", title_, key));
  return *found;
}

std::string JsonReader::text(std::string_view key) const {
  const auto& value = at(key);
  if (!value.is_string()) throw InputError(fmt::format("{} is of type {}. give a text.", name(key), value.type_name()));
  return value.get<std::string>();
}

double JsonReader::number_of(const json& value, const std::string& name, double low, double high) {
  if (!value.is_number())
    throw InputError(fmt::format("{} is of type {}. give a number from {} to {}.", name, value.type_name(), low, high));
  const auto number = value.get<double>();
  if (!(number >= low && number <= high))
    throw InputError(fmt::format("{} is {} (allowed: {} to {}).", name, number, low, high));
  return number;
}

double JsonReader::number(std::string_view key, double low, double high) const {
  return number_of(at(key), name(key), low, high);
}
double JsonReader::number(std::string_view key, double low, double high, double otherwise) const {
  return has(key) ? number(key, low, high) : otherwise;
}

std::int64_t JsonReader::whole_number(std::string_view key, std::int64_t low, std::int64_t high) const {
  const auto& value = at(key);
  if (!value.is_number_integer())
    throw InputError(
        fmt::format("{} is of type {}. give a whole number from {} to {}.", name(key), value.type_name(), low, high));
  // Compared as it was read: what does not fit into 63 bits is unsigned.
  const bool fits = !value.is_number_unsigned() || value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX);
  if (!fits || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high)
    throw InputError(fmt::format("{} is {} (allowed: {} to {}).", name(key), value.dump(), low, high));
  return value.get<std::int64_t>();
}

bool JsonReader::flag(std::string_view key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const auto& value = at(key);
  if (!value.is_boolean())
    throw InputError(fmt::format("{} is of type {}. give true or false.", name(key), value.type_name()));
  return value.get<bool>();
}

void JsonReader::no_choice(std::string_view key, std::string_view given, std::string_view allowed) const {
  throw InputError(fmt::format("{} is {} (allowed: {}).", name(key), shown(given), allowed));
}

const json& JsonReader::list_of(std::string_view key, std::size_t size) const {
  const auto& value = at(key);
  if (!value.is_array() || value.size() != size)
    throw InputError(
        fmt::format("{} is no list of {} numbers. give [{}].", name(key), size, size == 2 ? "x, y" : "x, y, z"));
  return value;
}

}  // namespace weft::flow
