// SPDX-License-Identifier: BSD-3-Clause
//
// `weft doctor [PROGRAM]`: examines this machine's MPI libraries, each in processes of its own, and reports mismatches.
#include <fmt/format.h>
#include <weft_version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>

#include "doctor/diagnosis.hpp"
#include "doctor/process.hpp"
#include "run/executable.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"

namespace {

using namespace weft::doctor;
namespace fs = std::filesystem;

struct Options {
  std::string program;
  double seconds = 5;
  bool json = false, device = false;
};

// Nothing if help or version were requested, which are printed. Throws an InputError if an option is wrong.
std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Lists the MPI libraries of this machine, measures their asynchronous progress, and checks that mpicc, mpirun "
      "and "
      "a program use the same one.",
      "weft doctor");
  app.set_version_flag("--version", WEFT_VERSION);
  app.add_flag("--json", options.json,
               "print the findings and the environment as JSON, for bug reports; default: text");
  app.add_flag("--device", options.device,
               "also send memory of a GPU between two ranks, and report whether each library can do that");
  app.add_option("--seconds", options.seconds, "time limit in seconds, 1 to 600")
      ->check(CLI::Range(1.0, 600.0))
      ->capture_default_str();
  app.add_option("program", options.program,
                 "path or name of a program; reports the MPI library that it loads, without starting it");
  app.footer(
      "Exit status: 0 if all matches, 1 if something does not, 2 if an option is wrong.\n"
      "Examples:\n"
      "  weft doctor ./program\n"
      "  weft doctor --json --seconds 20 > doctor.json\n"
      "Documentation: docs/doctor.md");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    app.exit(e);
    return std::nullopt;
  } catch (const CLI::ExtrasError&) {  // its text has the words backwards
    throw weft::InputError("'" + app.remaining().front() + "' is not expected here. See weft doctor --help.");
  } catch (const CLI::ParseError& e) {
    throw weft::InputError(std::string(e.what()) + ". See weft doctor --help.");
  }
  return options;
}

// The folders of mpicc and mpirun are searched first.
std::vector<fs::path> near(const Compiler& compiler, const Launcher& launcher) {
  std::vector<fs::path> paths = compiler.folders;
  if (!launcher.real.empty()) {
    const fs::path prefix = launcher.real.parent_path().parent_path();
    for (const char* lib : {"lib", "lib64", "lib/release"}) paths.push_back(prefix / lib);
  }
  return paths;
}

Examined* find(std::vector<Examined>& all, const fs::path& path) {
  const auto found = std::ranges::find_if(all, [&](const Examined& e) { return e.library.path == path; });
  return found != all.end() ? &*found : nullptr;
}

// The library of a launcher: the one that it was installed with; else one that it can start.
Examined* of_launcher(std::vector<Examined>& all, const Launcher& launcher) {
  const auto own =
      std::ranges::find_if(all, [&](const Examined& e) { return e.launcher && e.launcher->real == launcher.real; });
  if (own != all.end()) return &*own;
  const auto other = std::ranges::find_if(
      all, [&](const Examined& e) { return e.library.trouble.empty() && can_start(launcher, e.library); });
  return other != all.end() ? &*other : nullptr;
}

// Measures the libraries in use first. The remaining time is divided among the remaining libraries.
void measure_all(Findings& f, double end) {
  std::vector<Examined*> todo;
  for (Examined& e : f.libraries)
    if (e.launcher) todo.push_back(&e);
  std::ranges::stable_sort(todo, {}, [&](const Examined* e) {
    return e == f.of_program ? 0 : e == f.of_launcher ? 1 : e == f.of_compiler ? 2 : 3;
  });
  for (std::size_t i = 0; i < todo.size(); ++i) {
    const double left = end - weft::now_seconds();
    if (left < 0.5)
      todo[i]->trouble = "no time was left; use --seconds 20";
    else
      measure(*todo[i], f.machine, std::max(left / static_cast<double>(todo.size() - i), std::min(left, 2.0)));
  }
}

void check_installation() {
  for (const Abi abi : {Abi::openmpi, Abi::mpich, Abi::standard})
    if (std::error_code none; !fs::exists(probe(abi), none))
      throw weft::InputError(
          fmt::format("A part of weft doctor is missing (there is no {}). Install weft again.", probe(abi).string()));
}

Findings look(const Options& options) {
  const double began = weft::now_seconds(), timeout = options.seconds / 5;
  Findings f;
  if (!options.program.empty()) f.program = look_at(options.program);
  f.machine = this_machine();
  f.compiler = find_compiler(timeout);
  Launchers launchers(timeout);
  f.launcher = launchers.in_use();
  if (const auto mpiexec = weft::run::executable("mpiexec"); !mpiexec.empty())
    f.other_launcher = launchers.ask(mpiexec);
  auto paths = near(f.compiler, f.launcher);
  for (const auto& needed : f.program.mpi)
    if (!needed.path.empty()) paths.insert(paths.begin(), needed.path.parent_path());
  const auto found = libraries(folders(paths, timeout), timeout);
  for (const Library& library : found) f.libraries.emplace_back().library = library;
  for (Examined& e : f.libraries)
    if (e.library.trouble.empty()) e.launcher = launchers.of(e.library);
  if (const Library* library = library_of(f.compiler, found)) f.of_compiler = find(f.libraries, library->path);
  if (!f.launcher.family.empty()) f.of_launcher = of_launcher(f.libraries, f.launcher);
  if (!f.program.mpi.empty()) f.of_program = find(f.libraries, f.program.mpi[0].path);
  measure_all(f, began + options.seconds);
  for (Examined& e : f.libraries)
    if (options.device && e.launcher) try_device(e, f.machine, std::max(2.0, options.seconds));
  f.seconds = weft::now_seconds() - began;
  return f;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto options = read_options(argc, argv);
  if (!options) return 0;
  check_installation();
  const Findings findings = look(*options);
  const Diagnosis diagnosis = diagnose(findings);
  fmt::print("{}", options->json ? as_json(findings, diagnosis) : as_text(findings, diagnosis));
  return diagnosis.problems.empty() ? 0 : 1;
} catch (const weft::InputError& e) {
  fmt::print(stderr, "error: {}\n", e.what());
  return 2;
} catch (const std::exception& e) {
  fmt::print(stderr, "error: {}\n", e.what());
  return 2;
}
