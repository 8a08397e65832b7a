// SPDX-License-Identifier: BSD-3-Clause
#include "run/program.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "run/execute.hpp"

namespace weft::run {
namespace {

// They run what comes behind them.
constexpr std::array wrappers = {"env",     "nice",   "numactl", "taskset", "time",
                                 "timeout", "stdbuf", "setsid",  "ionice",  "hwloc-bind"};
// They open MPI while they run.
constexpr std::array interpreters = {"python", "julia",        "Rscript", "R",   "perl",      "ruby",        "java",
                                     "bash",   "sh",           "dash",    "zsh", "apptainer", "singularity", "podman",
                                     "docker", "charliecloud", "ch-run"};

template <std::size_t n>
bool is_one_of(const std::array<const char*, n>& names, const std::string& path, bool start) {
  const auto file = std::filesystem::path(path).filename().string();
  return std::ranges::any_of(names, [&](const char* name) { return start ? file.starts_with(name) : file == name; });
}

std::string program_of(Launcher launcher, const Words& words) {
  for (std::size_t i = launcher == Launcher::none ? 0 : 1; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word.empty() || word[0] == '-') continue;
    const auto path = path_of(word);
    if (!path.empty() && !is_one_of(wrappers, path, false)) return path;
  }
  return {};
}

struct Head {
  bool is_elf = false, is_32_bit = false, is_dynamic = false;
};

Head head_of(const std::string& path) {
  Head head;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (file.gcount() < EI_NIDENT || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return head;
  head.is_elf = true;
  head.is_32_bit = header.e_ident[EI_CLASS] == ELFCLASS32;
  if (head.is_32_bit || !file) return head;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + static_cast<std::size_t>(i) * header.e_phentsize));
    if (!file.read(reinterpret_cast<char*>(&part), sizeof part)) break;
    head.is_dynamic = head.is_dynamic || part.p_type == PT_INTERP;
  }
  return head;
}

}  // namespace

std::string why_not_watched(Launcher launcher, const Words& words) {
  const auto path = program_of(launcher, words);
  if (path.empty()) return {};
  struct stat about {};
  if (stat(path.c_str(), &about) == 0 && (about.st_mode & (S_ISUID | S_ISGID)) != 0)
    return fmt::format("{} is set-uid or set-gid, so the system preloads nothing into it", path);
  const auto head = head_of(path);
  if (!head.is_elf) return {};
  if (head.is_32_bit) return fmt::format("{} is a program of 32 bits", path);
  if (!head.is_dynamic) return fmt::format("{} is linked statically. Link it with the shared MPI library", path);
  if (is_one_of(interpreters, path, true)) return {};
  const auto libraries = output_of({path}, 5, {{"LD_TRACE_LOADED_OBJECTS", "1"}, {"LD_PRELOAD", ""}});
  if (libraries.find("libmpi") == std::string::npos)
    return fmt::format("{} is linked with no MPI library, so it can only be watched if it opens one", path);
  return {};
}

}  // namespace weft::run
