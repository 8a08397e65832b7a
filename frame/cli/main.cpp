// SPDX-License-Identifier: BSD-3-Clause
//
// `weft COMMAND ...` replaces itself with the program weft-COMMAND in the same folder, before MPI is started. `weft`
// itself executes only help, version and `tune`.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/tune.hpp"
#include "command_line/command.hpp"
#include "weft/error.hpp"

namespace {

namespace fs = std::filesystem;
using weft::command_line::Command;

fs::path program_of(const Command& command) {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).parent_path() / fmt::format("weft-{}", command.name);
}

// Returns only on failure.
void become(const Command& command, int argc, char** argv) {
  const auto program = program_of(command).string();
  std::string name = program;
  std::vector<char*> words{name.data()};
  words.insert(words.end(), argv + 2, argv + argc);
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
}

// A command that can't be run is refused when it is used. Missing programs are not listed, for example if FFTW was not
// found.
void add_all(CLI::App& weft, weft::command_line::Action& action, const std::string& asked) {
  for (const auto& command : weft::command_line::commands()) {
    const auto program = program_of(command);
#if defined(WEFT_ONE_LIBRARY)  // the Python package, whose launcher runs the commands
    const bool there = true;
#else
    const bool there = fs::exists(program);
#endif
    if (!there && command.name != asked) continue;
    auto* added = weft.add_subcommand(std::string(command.name), std::string(command.about));
    added->group(std::string(command.group))->allow_extras()->callback([&action, command, program, there] {
      action = [=](weft::mpi::Communicator&) -> int {
        throw weft::InputError(
            there ? fmt::format(
                        "The command 'weft {}' can't be run ({} is damaged or not executable). Install weft again.",
                        command.name, program.string())
                  : fmt::format(
                        "The command 'weft {}' is not installed (there is no {}). Build it, or install weft again.",
                        command.name, program.string()),
            true);
      };
    });
  }
  weft::cli::add_tune(weft, action);
  weft::command_line::explain(weft, {"weft flow --help", "mpirun -n 4 weft flow examples/aneurysm/case.toml"},
                              "docs/README.md");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string asked = argc > 1 ? argv[1] : "";
  const auto all = weft::command_line::commands();
  const auto command = std::ranges::find(all, asked, &Command::name);
  if (command != all.end()) become(*command, argc, argv);
  return weft::command_line::run_commands(argc, argv,
                                          [&](CLI::App& weft, auto& action) { add_all(weft, action, asked); });
}
