// SPDX-License-Identifier: BSD-3-Clause
#include "advise/claim.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

namespace weft::advise {
namespace {

namespace fs = std::filesystem;

constexpr int most_programs = 1000;
constexpr std::string_view rank_mark = ".rank-", ending = ".claim";

// The number in the name of a claim's file.
std::optional<int> number_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(ending)) return {};
  name.remove_prefix(prefix.size());
  if (name.starts_with(rank_mark)) return 1;
  if (!name.starts_with('-')) return {};
  int number = 0;
  const auto [rest, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  const auto left = name.substr(static_cast<std::size_t>(rest - name.data()));
  return error == std::errc() && number > 1 && left.starts_with(rank_mark) ? std::optional(number) : std::nullopt;
}

template <class Action>
void for_each_claim(const std::string& prefix, Action action) {
  std::error_code none;
  const fs::path at(prefix);
  for (const auto& entry : fs::directory_iterator(at.has_parent_path() ? at.parent_path() : ".", none))
    if (const auto number = number_of(entry.path().filename().string(), at.filename().string()))
      action(*number, entry.path());
}

}  // namespace

std::string numbered(const std::string& prefix, int number) {
  return number > 1 ? prefix + "-" + std::to_string(number) : prefix;
}

int claim_number(const std::string& prefix, int rank) {
  for (int number = 1; number <= most_programs; ++number) {
    const auto own = numbered(prefix, number);
    const auto name = own + std::string(rank_mark) + std::to_string(rank) + std::string(ending);
    const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) return 1;  // the folder can't be written, which is reported elsewhere
    if (file < 0) continue;
    close(file);
    if (access((own + ".json").c_str(), F_OK) != 0) return number;
    unlink(name.c_str());  // the report of an earlier command
  }
  return 0;
}

std::vector<int> claimed_numbers(const std::string& prefix) {
  std::vector<int> numbers;
  for_each_claim(prefix, [&](int number, const fs::path&) { numbers.push_back(number); });
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

void remove_claims(const std::string& prefix) {
  std::vector<fs::path> files;
  for_each_claim(prefix, [&](int number, const fs::path& file) {
    if (number == 1) files.push_back(file);
  });
  std::error_code none;
  for (const auto& file : files) fs::remove(file, none);
}

}  // namespace weft::advise
