// SPDX-License-Identifier: BSD-3-Clause
#include "run/program.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "run/elf.hpp"
#include "run/words.hpp"

namespace weft::run {
namespace {

using namespace std::string_view_literals;

// Launchers also search the working directory.
std::filesystem::path program_file(const std::string& word) {
  const auto file = executable(word);
  return file.empty() && word.find('/') == std::string::npos ? executable("./" + word) : file;
}

Part part_of(const Words& words, std::size_t begin, std::size_t end, Kind kind) {
  for (std::size_t i = begin; i < end; ++i) {
    if (words[i].starts_with('-')) {
      i += values_of(kind, words[i]);
    } else if (!is_assignment(words[i]) && !program_file(words[i]).empty()) {
      if (!is_prefix(words[i])) return {begin, end, i};
      kind = Kind::none;  // the following options do not belong to the launcher
    }
  }
  return {begin, end, end};
}

// These programs load libraries at run time, so the libraries that they are linked with are not conclusive.
bool is_interpreter(const std::string& name) {
  static constexpr std::array starts{
      "python"sv, "pypy"sv,    "perl"sv,         "ruby"sv,     "lua"sv,    "julia"sv,     "octave"sv,      "matlab"sv,
      "java"sv,   "node"sv,    "tclsh"sv,        "valgrind"sv, "gdb"sv,    "apptainer"sv, "singularity"sv, "docker"sv,
      "podman"sv, "shifter"sv, "charliecloud"sv, "ch-run"sv,   "strace"sv, "perf"sv};
  static constexpr std::array whole{"sh"sv,   "bash"sv, "dash"sv,    "zsh"sv, "ksh"sv,     "csh"sv,
                                    "tcsh"sv, "fish"sv, "busybox"sv, "R"sv,   "Rscript"sv, "xargs"sv,
                                    "sudo"sv, "su"sv,   "nsys"sv,    "ncu"sv, "srun"sv};
  return std::ranges::any_of(starts, [&](auto start) { return name.starts_with(start); }) ||
         std::ranges::find(whole, name) != whole.end();
}

bool is_mpi(std::string_view library) { return library.starts_with("libmpi") || library.starts_with("libpmpi"); }

// Whether the libraries listed by the program's own loader include MPI; true if they can't be listed.
bool needs_mpi(const std::filesystem::path& file, const Elf& elf) {
  if (std::ranges::any_of(elf.needed, is_mpi)) return true;
  const auto listed = output_of({elf.loader, "--list", file.string()}, environment({}), 10);
  if (!listed || listed->find(" => ") == std::string::npos) return true;
  std::istringstream lines(*listed);
  for (std::string line; std::getline(lines, line);)
    if (const auto start = line.find_first_not_of(" \t");
        start != std::string::npos && is_mpi(std::string_view(line).substr(start)))
      return true;
  return false;
}

// Set-uid, set-gid or capabilities: then the loader ignores LD_PRELOAD.
bool has_more_rights(const std::filesystem::path& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return false;
  if ((info.st_mode & S_ISUID) != 0 && info.st_uid != geteuid()) return true;
  if ((info.st_mode & S_ISGID) != 0 && info.st_gid != getegid()) return true;
  return geteuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace

std::vector<Part> parts_of(const Words& command, const Launcher& launcher) {
  std::vector<Part> parts;
  const bool one = launcher.kind == Kind::none;
  for (std::size_t begin = launcher.at + (one && !launcher.unknown ? 0 : 1); begin <= command.size();) {
    const auto colon =
        one ? command.end() : std::find(command.begin() + static_cast<std::ptrdiff_t>(begin), command.end(), ":");
    const auto end = static_cast<std::size_t>(colon - command.begin());
    parts.push_back(part_of(command, begin, end, launcher.kind));
    begin = end + 1;
  }
  return parts;
}

Obstacle obstacle_of(const std::string& program) {
  const auto file = program_file(program);
  const auto elf = read_elf(file);
  if (!elf) return {};
  if (elf->bits == 32) return {"it is a 32-bit program"};
  if (has_more_rights(file)) return {"it is set-uid or set-gid, or has capabilities, so no library is preloaded"};
  // Static ones too: the programs that they start may be recorded.
  if (is_interpreter(name_of(program))) return {};
  if (!elf->dynamic) return {"it is statically linked, so no library can be preloaded"};
  if (needs_mpi(file, *elf)) return {};
  return {"it is not linked with one", false};
}

}  // namespace weft::run
