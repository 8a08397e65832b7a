// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/series.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

namespace weft::geometry {

std::string series_text(const std::filesystem::path& surface) {
  const auto without_number = [](const std::filesystem::path& file) {
    auto stem = file.stem().string();
    stem.erase(stem.find_last_not_of("0123456789") + 1);
    return stem;
  };
  const auto stem = without_number(surface);
  if (stem == surface.stem().string()) return {};
  std::vector<std::string> names;
  std::error_code error;
  const auto folder = surface.has_parent_path() ? surface.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto& file = entry.path();
    if (file.extension() == surface.extension() && file.stem().string() != stem && without_number(file) == stem)
      names.push_back(file.filename().string());
  }
  if (names.size() < 2) return {};
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return std::pair(a.size(), a) < std::pair(b.size(), b); });
  return surface.filename().string() + " is one of " + std::to_string(names.size()) + " surfaces, " + names.front() +
         " to " + names.back() + ". Only this one is read: if they are a moving wall, it stands still here.";
}

}  // namespace weft::geometry
