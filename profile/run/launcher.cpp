// SPDX-License-Identifier: BSD-3-Clause
#include "run/launcher.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "run/executable.hpp"

namespace weft::run {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// True for mpirun, mpirun.openmpi and mpiexec-mpich, false for mpirun_all.sh and lsrun.
bool is_launchers(const std::string& name) {
  for (const auto* script : {".sh", ".bash", ".csh", ".py", ".pl"})
    if (name.ends_with(script)) return false;
  const auto first = name.substr(0, name.find_first_of(".-_"));
  for (const auto* launcher : {"mpirun", "mpiexec", "orterun", "oshrun", "prterun", "prun", "srun"})
    if (first == launcher) return true;
  return false;
}

// `--version` is only passed to launchers: a program might not know the option, and run. So the name, or that of the
// link's target, must be a launcher's, or the file must be linked with libraries that only launchers use.
bool may_be_launcher(const std::string& word) {
  const auto file = executable(word);
  if (file.empty()) return false;
  std::error_code none;
  for (const auto& name : {name_of(word), std::filesystem::canonical(file, none).filename().string()})
    if (is_launchers(name)) return true;
  const auto elf = read_elf(file);
  if (!elf) return false;
  const auto needs = [&](const char* start) {
    return std::ranges::any_of(elf->needed, [&](const auto& library) { return library.starts_with(start); });
  };
  return (needs("libopen-rte") || needs("libprrte")) && !needs("libmpi");
}

// An Open MPI installation that was moved can't print its version. Only Open MPI has these names.
bool has_open_mpis_name(const std::string& word) {
  std::error_code none;
  for (const auto& name : {name_of(word), std::filesystem::canonical(executable(word), none).filename().string()})
    if (const auto first = name.substr(0, name.find('.')); first == "orterun" || first == "prterun") return true;
  return false;
}

// Options by name, without dashes, each between blanks.
constexpr std::string_view slurm_alone =
    " E H I K O Q W X Z k l q s u v contiguous disable-status exact exclusive hold immediate kill-on-bad-exit label "
    "multi-prog no-allocate no-kill overcommit overlap oversubscribe preserve-env pty quiet reboot spread-job "
    "unbuffered use-min-nodes verbose whole ";
constexpr std::string_view hydra_two = " env genv ";
constexpr std::string_view hydra_one =
    " arch bind-to binding bootstrap bootstrap-exec configfile demux envlist errfile-pattern f genvlist grr host "
    "hostfile hosts iface launcher launcher-exec localhost machine machinefile map-by membind n np order-nodes "
    "outfile-pattern path perhost ppn prepend-pattern rmk rr-map s tmpdir topolib usize wd wdir ";
constexpr std::string_view openmpi_two = " gmca gpmixmca gprtemca mca omca pmixmca prtemca ";
constexpr std::string_view openmpi_one =
    " H N am app bind-to c cpu-list cpu-set cpus-per-proc cpus-per-rank debugger default-hostfile display dvm dvm-uri "
    "host hostfile machinefile map-by max-restarts n np npernode npersocket ompi-server output output-filename path "
    "personality preload-files prefix pset rank-by rankfile report-pid report-uri rf runtime-options slot-list stdin "
    "timeout tune wd wdir with-ft x xterm ";

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

Kind kind_of(std::string_view version) {
  for (const auto* name : {"(Open MPI)", "(OpenRTE)", "(PRRTE)", "PRRTE ", "PRTE "})
    if (has(version, name)) return Kind::openmpi;
  if (has(version, "HYDRA") || has(version, "Intel(R) MPI Library")) return Kind::hydra;
  if (version.starts_with("slurm")) return Kind::slurm;
  return Kind::none;
}

Launcher find_launcher(const Words& command) {
  Launcher launcher;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (may_be_launcher(command[i])) {
      const auto version = output_of({command[i], "--version"}, environment({}), 10);
      launcher.kind = kind_of(version.value_or(""));
      if (launcher.kind == Kind::none && has_open_mpis_name(command[i])) launcher.kind = Kind::openmpi;
      launcher.at = i;
      launcher.unknown = launcher.kind == Kind::none;
      break;
    }
    if (i == 0 && !is_prefix(command[0])) break;  // a program, whose arguments are its own
    // After env and similar: options, values and assignments, up to the program that is run.
    if (i > 0 && !is_prefix(command[i]) && !command[i].starts_with('-') && !is_assignment(command[i]) &&
        !executable(command[i]).empty())
      break;
  }
  return launcher;
}

std::size_t values_of(Kind kind, const std::string& option) {
  const auto start = option.find_first_not_of('-');
  if (kind == Kind::none || start == std::string::npos || option.find('=') != std::string::npos) return 0;
  const auto name = fmt::format(" {} ", option.substr(start));
  // -n4 contains its value.
  if (kind == Kind::slurm) return !has(slurm_alone, name) && (start == 2 || option.size() == 2) ? 1 : 0;
  const bool hydra = kind == Kind::hydra;
  if (has(hydra ? hydra_two : openmpi_two, name)) return 2;
  return has(hydra ? hydra_one : openmpi_one, name) ? 1 : 0;
}

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
