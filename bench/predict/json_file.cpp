// SPDX-License-Identifier: BSD-3-Clause
#include "predict/json_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "weft/file/read_text.hpp"

namespace weft::predict {

JsonFile::JsonFile(std::filesystem::path file) : file_(std::move(file)) {
  const auto content = read_text(file_, "Give a file that weft flow, weft box or weft bench wrote with --json.");
  root_ = nlohmann::json::parse(content, nullptr, false);
  if (root_.is_discarded())
    throw wrong("This is not JSON.", "Give a file that weft flow, weft box or weft bench wrote with --json.");
}

InputError JsonFile::wrong(const std::string& what, const std::string& help) const {
  return InputError(fmt::format("{}: {} {}", file_.string(), what, help));
}

void JsonFile::refuse(const char* key, const char* wanted) const {
  throw wrong(fmt::format("'{}' is not {}.", key, wanted), "Give a file that weft flow or weft box wrote with --json.");
}

const nlohmann::json& JsonFile::value(const nlohmann::json& object, const char* key) const {
  if (!object.is_object()) refuse(key, "in the file");
  const auto found = object.find(key);
  if (found == object.end()) refuse(key, "in the file");
  return *found;
}

double JsonFile::number(const nlohmann::json& object, const char* key) const {
  const auto& v = value(object, key);
  if (!v.is_number()) refuse(key, "a number");
  const double x = v.get<double>();
  constexpr double most = 1e18;  // for counts and times; products of two are far from infinite
  if (!std::isfinite(x) || x < 0 || x > most) refuse(key, "a number from 0 to 1e18");
  return x;
}

std::string JsonFile::text(const nlohmann::json& object, const char* key) const {
  const auto& v = value(object, key);
  if (!v.is_string()) refuse(key, "a text");
  return v.get<std::string>();
}

bool JsonFile::yes(const nlohmann::json& object, const char* key) const {
  const auto& v = value(object, key);
  if (!v.is_boolean()) refuse(key, "true or false");
  return v.get<bool>();
}

const nlohmann::json& JsonFile::object(const nlohmann::json& object, const char* key) const {
  const auto& v = value(object, key);
  if (!v.is_object()) refuse(key, "an object");
  return v;
}

const nlohmann::json& JsonFile::list(const nlohmann::json& object, const char* key) const {
  const auto& v = value(object, key);
  if (!v.is_array()) refuse(key, "a list");
  return v;
}

}  // namespace weft::predict
