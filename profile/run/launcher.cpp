// SPDX-License-Identifier: BSD-3-Clause
#include "run/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "run/elf.hpp"
#include "run/words.hpp"

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

}  // namespace weft::run
