// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "weft/error.hpp"

namespace weft::predict {

/// A JSON file and its values. A missing value or a wrong type throws an InputError with the file and the key.
class JsonFile {
 public:
  explicit JsonFile(std::filesystem::path file);

  const nlohmann::json& root() const { return root_; }
  const std::filesystem::path& path() const { return file_; }
  /// A number from 0 to 1e18.
  double number(const nlohmann::json& object, const char* key) const;
  std::string text(const nlohmann::json& object, const char* key) const;
  bool yes(const nlohmann::json& object, const char* key) const;
  const nlohmann::json& object(const nlohmann::json& object, const char* key) const;
  const nlohmann::json& list(const nlohmann::json& object, const char* key) const;
  InputError wrong(const std::string& what, const std::string& help) const;

 private:
  const nlohmann::json& value(const nlohmann::json& object, const char* key) const;
  [[noreturn]] void refuse(const char* key, const char* wanted) const;

  std::filesystem::path file_;
  nlohmann::json root_;
};

}  // namespace weft::predict
