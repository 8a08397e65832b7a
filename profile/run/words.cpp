// SPDX-License-Identifier: BSD-3-Clause
#include "run/words.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace weft::run {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

fs::path executable(const std::string& word) {
  if (word.empty()) return {};
  if (word.find('/') != std::string::npos) return is_executable(word) ? fs::path(word) : fs::path();
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = fs::path(folder.empty() ? "." : folder) / word; is_executable(file)) return file;
  return {};
}

std::string name_of(const std::string& word) { return fs::path(word).filename().string(); }

bool is_prefix(const std::string& word) {
  using namespace std::string_view_literals;
  static constexpr std::array names{"env"sv,     "timeout"sv, "nice"sv,    "ionice"sv,    "taskset"sv,
                                    "numactl"sv, "time"sv,    "nohup"sv,   "stdbuf"sv,    "setsid"sv,
                                    "chrt"sv,    "prlimit"sv, "setarch"sv, "hwloc-bind"sv};
  return std::ranges::find(names, name_of(word)) != names.end();
}

bool is_assignment(const std::string& word) {
  const auto end = word.find('=');
  if (end == std::string::npos || end == 0 || std::isdigit(static_cast<unsigned char>(word[0]))) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(end),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

}  // namespace weft::run
