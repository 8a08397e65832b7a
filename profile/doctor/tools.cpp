// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>

#include "doctor/process.hpp"
#include "run/executable.hpp"
#include "weft/error.hpp"

namespace weft::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::array launcher_names{"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra"};

void read_version(Launcher& launcher, const std::string& text) {
  static const std::array<std::pair<const char*, std::regex>, 3> forms{{
      {"Open MPI", std::regex(R"(\((?:OpenRTE|Open MPI|PRRTE)\) v?([0-9]\S*))")},
      {"Intel MPI", std::regex(R"(Intel\(R\) MPI Library[^\n]*Version ([0-9]\S*))")},
      {"MPICH", std::regex(R"(HYDRA[^\n]*\n\s*Version:\s*([0-9]\S*))")},
  }};
  for (const auto& [family, form] : forms) {
    std::smatch found;
    if (!std::regex_search(text, found, form)) continue;
    launcher.family = family;
    launcher.version = found[1];
    return;
  }
}

}  // namespace

Compiler find_compiler(double timeout) {
  Compiler compiler;
  compiler.path = run::executable("mpicc");
  if (compiler.path.empty()) return compiler;
  const Ended shown = run({compiler.path, "-show"}, timeout);
  compiler.command = shown.out;
  if (!shown.well()) compiler.trouble = shown.reason();
  compiler.command.erase(std::min(compiler.command.find('\n'), compiler.command.size()));
  std::istringstream words(compiler.command);
  for (std::string word; words >> word;) {
    static const std::regex library(R"(-l(mpi|mpich|mpi_abi))");
    std::smatch found;
    if (word.starts_with("-L")) compiler.folders.emplace_back(word.substr(2));
    if (word.starts_with("-Wl,/")) compiler.folders.emplace_back(word.substr(4));
    if (word.starts_with("-Wl,-rpath,/")) compiler.folders.emplace_back(word.substr(11));
    if (std::regex_match(word, found, library)) compiler.library = found[1];
  }
  return compiler;
}

const Library* library_of(const Compiler& compiler, const std::vector<Library>& libraries) {
  if (compiler.library.empty()) return nullptr;
  auto folders = compiler.folders;
  for (const char* usual :
       {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"})
    folders.emplace_back(usual);
  for (const auto& folder : folders) {
    std::error_code none;
    const fs::path linked = fs::canonical(folder / ("lib" + compiler.library + ".so"), none);
    const auto found = std::ranges::find(libraries, linked, &Library::path);
    if (!none && found != libraries.end()) return &*found;
    // In a Python wheel, libmpi.so may be a separate file beside libmpi.so.12.
    const auto beside = std::ranges::find_if(libraries, [&](const Library& library) {
      return !none && library.path.parent_path() == linked.parent_path() &&
             library.name.starts_with("lib" + compiler.library + ".so");
    });
    if (beside != libraries.end()) return &*beside;
  }
  return nullptr;
}

const Launcher& Launchers::ask(const fs::path& path) {
  std::error_code none;
  const fs::path real = fs::canonical(path, none);
  const auto found = std::ranges::find(known_, real, &Launcher::real);
  if (found != known_.end()) return *found;
  Launcher launcher;
  launcher.path = path;
  launcher.real = real;
  const Ended said = run({path.string(), "--version"}, timeout_);
  read_version(launcher, said.out + said.err);
  launcher.works = said.well() || !launcher.family.empty();
  if (launcher.family.empty())
    launcher.trouble = launcher.works ? "belongs to no known MPI library" : "does not work: --version " + said.reason();
  return known_.emplace_back(launcher);
}

Launcher Launchers::in_use() {
  for (const char* name : {"mpirun", "mpiexec"})
    if (const auto path = run::executable(name); !path.empty()) return ask(path);
  return {};
}

bool can_start(const Launcher& launcher, const Library& library) {
  if (launcher.family == "Open MPI" || library.family == "Open MPI")
    return launcher.family == library.family && launcher.version == library.version;
  return launcher.family == "MPICH" || launcher.family == library.family;  // all use PMI
}

std::optional<Launcher> Launchers::of(const Library& library) {
  const auto suits = [&](const Launcher& launcher) {
    return can_start(launcher, library) && (launcher.version == library.version || launcher.family != library.family);
  };
  fs::path above = library.path.parent_path();
  for (int i = 0; i < 4 && above.has_relative_path(); ++i, above = above.parent_path())
    for (const char* name : launcher_names)
      if (!run::executable(above / "bin" / name).empty())
        if (const Launcher& launcher = ask(above / "bin" / name); suits(launcher)) return launcher;
  for (const char* name : launcher_names)
    if (const auto path = run::executable(name); !path.empty())
      if (const Launcher& launcher = ask(path); suits(launcher)) return launcher;
  return std::nullopt;
}

Program look_at(const std::string& given) {
  std::error_code none;
  Program program;
  program.path = given;
  if (!fs::exists(given, none) && given.find('/') == std::string::npos) program.path = run::executable(given);
  if (!fs::is_regular_file(program.path, none))
    throw InputError(fmt::format("There is no program '{}' (neither a file nor in PATH). Give its path.", given));
  const auto elf = run::read_elf(program.path);
  if (!elf || elf->bits != 64)
    throw InputError(fmt::format(
        "'{}' is not a program of this machine (it is not a 64-bit ELF file). Name the program itself, not the script "
        "that starts it.",
        program.path));
  if (!elf->dynamic) return program;
  // Runs the loader instead of ldd, which would start a program without a loader. glibc's loader lists missing
  // libraries only with this variable; others (musl) have only the option.
  const bool glibc = elf->loader.find("/ld-linux") != std::string::npos;
  const std::string path = fs::absolute(program.path);
  const Ended listed =
      glibc ? run({elf->loader, path}, 3, {{"LD_TRACE_LOADED_OBJECTS", "1"}}) : run({elf->loader, "--list", path}, 3);
  std::istringstream lines(listed.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, arrow, found;
    words >> name >> arrow >> found;
    const bool named_by_path = name.starts_with('/');
    if (!abi_of_name(fs::path(name).filename())) continue;
    if (named_by_path && arrow != "=>") found = name;
    program.mpi.push_back(
        {fs::path(name).filename(), found.starts_with('/') ? fs::canonical(found, none) : fs::path()});
  }
  if (!listed.well() && program.mpi.empty())
    throw InputError(fmt::format("'{}' can't be loaded ({}). Correct this first.", given, listed.why()));
  return program;
}

}  // namespace weft::doctor
