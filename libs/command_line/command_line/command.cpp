// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "weft/error.hpp"
#include "weft/mpi/main.hpp"

namespace weft::command_line {
namespace {

constexpr std::array all{
    Command{"flow", "blood flow in a vessel, from its surface"},
    Command{"import", "write a case of weft flow from one of HemeLB"},
    Command{"openings", "find a vessel's openings, and write a case of weft flow for it"},
    Command{"box", "fluid in a box, with solid particles, on a dense lattice"},
    Command{"pack", "compress files on all ranks, into what bzip2, zstd or xz read"},
    Command{"unpack", "decompress a zstd, bzip2 or xz file on all ranks, or a range of it"},
    Command{"fft", "the 3-D Fourier transform of a field in a file, or its energy spectrum"},
    Command{"wave", "waves in a box, on a mesh that is fine where they are"},
    Command{"run", "run any MPI program, and show what it hides of its communication"},
    Command{"bench", "benchmarks; all share one form"},
    Command{"predict", "from a short run: the time of a step on other numbers of ranks, in four ways"},
    Command{"doctor", "what this machine's MPI libraries do, whether they match, and what to set"},
};

}  // namespace

std::span<const Command> commands() { return all; }

const char* about(std::string_view name) {
  const auto found = std::ranges::find(all, name, &Command::name);
  if (found == all.end()) throw std::logic_error("no command is called " + std::string(name));
  return found->about.data();  // of a literal
}

void explain(CLI::App& command, const std::vector<std::string>& examples, std::string_view page) {
  std::string text = "Examples:\n";
  for (const auto& example : examples) text += "  " + example + "\n";
  command.footer(text + "\nDocumentation: " + std::string(page));
}

int run_commands(int argc, char** argv, const AddCommand& add) {
  return weft::main(argc, argv, [&](mpi::Communicator& world) {
    CLI::App weft(
        "weft: communication hidden behind computation.\nStart it with mpirun -n RANKS; without, it runs on one rank.",
        "weft");
    weft.require_subcommand(0, 1);  // none is refused below, so that an unknown one is named first
    weft.set_version_flag("--version", WEFT_VERSION);
    weft.failure_message([](const CLI::App* app, const CLI::Error& e) {
      return std::string(e.what()) + " (see " + (app->get_parent() ? "weft " : "") + app->get_name() + " --help)";
    });
    Action action;
    add(weft, action);
    try {
      weft.parse(argc, argv);
    } catch (const CLI::Success& e) {  // help, version: printed once
      return world.rank() == 0 ? weft.exit(e) : 0;
    } catch (const CLI::ParseError& e) {
      throw InputError(std::string(e.what()) + ". see weft --help.", true);
    }
    if (!action) throw InputError("nothing to do (a subcommand is missing). see weft --help.", true);
    return action(world);
  });
}

int run_command(int argc, char** argv, const char* name, const AddCommand& add) {
  std::string command = name;  // read only, but argv has char*
  std::vector<char*> words(argv, argv + argc);
  words.insert(words.begin() + (words.empty() ? 0 : 1), command.data());
  words.push_back(nullptr);
  return run_commands(static_cast<int>(words.size()) - 1, words.data(), add);
}

}  // namespace weft::command_line
