// SPDX-License-Identifier: BSD-3-Clause
#include "run/mca_list.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "run/words.hpp"

namespace weft::run {
namespace {

namespace fs = std::filesystem;

const std::string parameter = "mca_base_env_list";
const std::string delimiter = "mca_base_env_list_delimiter";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// A value from lines "name = value"; the last one counts.
std::optional<std::string> in_file(const fs::path& file, const std::string& name) {
  std::optional<std::string> value;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (const auto equals = line.find('='); equals != std::string::npos && trimmed(line.substr(0, equals)) == name)
      value = trimmed(line.substr(equals + 1));
  return value;
}

std::optional<std::string> beside_the_command(const std::string& launcher, const std::string& name) {
  if (const char* value = std::getenv(("OMPI_MCA_" + name).c_str())) return value;
  std::vector<fs::path> files;
  if (const char* home = std::getenv("HOME")) files.push_back(fs::path(home) / ".openmpi/mca-params.conf");
  std::error_code none;
  files.push_back(fs::canonical(executable(launcher), none).parent_path() / "../etc/openmpi-mca-params.conf");
  files.emplace_back("/etc/openmpi/openmpi-mca-params.conf");  // Debian's
  for (const auto& file : files)
    if (auto value = in_file(file, name)) return value;
  return {};
}

}  // namespace

std::optional<McaList> mca_list(const Words& words, const std::vector<Part>& parts, const Launcher& launcher) {
  McaList list;
  auto separator = beside_the_command(words[launcher.at], delimiter);
  for (const auto& part : parts)
    for (auto i = part.begin; i + 1 < part.program; ++i) {
      if (words[i] == parameter) list.words.push_back(i + 1);
      if (words[i] == delimiter) separator = words[i + 1];
    }
  if (separator && !separator->empty()) list.separator = separator->front();
  if (!list.words.empty()) return list;
  const auto value = beside_the_command(words[launcher.at], parameter);
  if (!value || value->empty()) return {};
  list.value = *value;
  return list;
}

}  // namespace weft::run
