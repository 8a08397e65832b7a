// SPDX-License-Identifier: BSD-3-Clause
//
// `weft COMMAND ...` becomes the program weft-COMMAND, which lies beside it, before MPI is started. Help, the version,
// and what
// --tune has stored are its own.
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

// Returns only if it can't.
void become(const Command& command, int argc, char** argv) {
  const auto program = program_of(command).string();
  std::string name = program;
  std::vector<char*> words{name.data()};
  words.insert(words.end(), argv + 2, argv + argc);
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
}

void add_all(CLI::App& weft, weft::command_line::Action& action) {
  for (const auto& command : weft::command_line::commands()) {
    const auto program = program_of(command);
    if (!fs::exists(program)) continue;  // FFTW, for one, may have been left out
    weft.add_subcommand(std::string(command.name), std::string(command.about))->callback([&action, program] {
      action = [program](weft::mpi::Communicator&) -> int {
        throw weft::InputError(fmt::format("{} can't be run (its permissions, or its file, are wrong). install weft "
                                           "again.",
                                           program.string()),
                               true);
      };
    });
  }
  weft::cli::add_tune(weft, action);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const auto all = weft::command_line::commands();
    const auto command = std::ranges::find(all, std::string_view(argv[1]), &Command::name);
    if (command != all.end()) become(*command, argc, argv);
  }
  return weft::command_line::run_commands(argc, argv, add_all);
}
