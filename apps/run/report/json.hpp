// SPDX-License-Identifier: BSD-3-Clause
// Looks into a report that may lack any key.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft::run {

using json = nlohmann::json;

inline double number(const json& at, const char* key, double otherwise = 0) {
  const auto found = at.find(key);
  return found != at.end() && found->is_number() ? found->get<double>() : otherwise;
}

inline std::string text(const json& at, const char* key) {
  const auto found = at.find(key);
  return found != at.end() && found->is_string() ? found->get<std::string>() : std::string();
}

inline bool flag(const json& at, const char* key, bool otherwise) {
  const auto found = at.find(key);
  return found != at.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

/// An object or list; an empty one where it is not there.
inline const json& part(const json& at, const char* key) {
  static const json none = json::object();
  const auto found = at.find(key);
  return found != at.end() && (found->is_object() || found->is_array()) ? *found : none;
}

}  // namespace weft::run
