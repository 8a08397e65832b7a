// SPDX-License-Identifier: BSD-3-Clause
#include "run/executable.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

namespace weft::run {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

// Reads at any offset of a file; reading beyond the end of a truncated or damaged file yields zeros.
class Bytes {
 public:
  explicit Bytes(const std::filesystem::path& file) : stream_(file, std::ios::binary) {}

  template <class T>
  T at(std::uint64_t offset) {
    T value{};
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    if (!stream_.read(reinterpret_cast<char*>(&value), sizeof value)) return T{};
    return value;
  }
  std::string text(std::uint64_t offset) {
    std::string result;
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    for (char c; result.size() < 4096 && stream_.get(c) && c != '\0';) result += c;
    return result;
  }

 private:
  std::ifstream stream_;
};

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

std::optional<Elf> read_elf(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return {};
  Bytes bytes(file);
  const auto header = bytes.at<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  Elf elf;
  if (header.e_ident[EI_CLASS] != ELFCLASS64) {
    elf.bits = 32;
    return elf;
  }
  std::vector<Elf64_Phdr> segments;
  for (unsigned i = 0; i < header.e_phnum; ++i)
    segments.push_back(bytes.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
  const auto offset_of = [&](std::uint64_t address) -> std::uint64_t {
    for (const auto& s : segments)
      if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
        return address - s.p_vaddr + s.p_offset;
    return 0;
  };
  for (const auto& s : segments) {
    if (s.p_type == PT_INTERP) {
      elf.dynamic = true;
      elf.loader = bytes.text(s.p_offset);
    }
    if (s.p_type != PT_DYNAMIC) continue;
    std::vector<std::uint64_t> names;
    std::uint64_t strings = 0;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = bytes.at<Elf64_Dyn>(s.p_offset + at);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) strings = offset_of(entry.d_un.d_ptr);
    }
    if (strings == 0) continue;
    for (const auto name : names) elf.needed.push_back(bytes.text(strings + name));
  }
  return elf;
}

}  // namespace weft::run
