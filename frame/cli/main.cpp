// SPDX-License-Identifier: BSD-3-Clause
//
// `weft COMMAND ...` replaces itself with the program weft-COMMAND in the same folder, before MPI is started. `weft`
// itself executes only help, version and `tune`.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command_line/command.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/tune/store.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;
using command_line::Command;

void show() {
  const TuneStore store;
  const auto& entries = store.entries();
  if (entries.empty()) return fmt::print("nothing is stored in {}\n", store.file().string());
  fmt::print("{}\n", store.file().string());
  for (const auto& e : entries) {
    fmt::print("\n{}\n  {}\n  {}", e.key, text_of(e.setting),
               e.speedup > 1 ? fmt::format("{:.2f} times as fast as the baseline", e.speedup)
                             : std::string("nothing was clearly faster than the baseline"));
    fmt::print("{}\n", e.date.empty() ? std::string() : ", " + e.date);
  }
}

void clear(const std::string& part) {
  TuneStore store;
  const auto gone = store.clear(part);
  fmt::print("{} of {} cleared in {}\n", gone, gone + store.entries().size(), store.file().string());
}

// `weft tune`: shows or deletes what --tune has stored.
void add_tune(CLI::App& weft, command_line::Action& action) {
  struct Options {
    std::string what = "show", part;
  };
  auto options = std::make_shared<Options>();
  auto* command = weft.add_subcommand("tune", "Shows or deletes the settings that --tune has stored.");
  command->add_option("WHAT", options->what, "show: print the stored settings; clear: delete them")
      ->check(CLI::IsMember({"show", "clear"}))
      ->capture_default_str();
  command->add_option(
      "PART", options->part,
      "with clear: delete only the entries that contain this text in their machine, MPI library, ranks or problem");
  command->group("Tune");
  command_line::explain(*command, {"weft tune", "weft tune clear '4 ranks'"}, "docs/tune.md");
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      if (options->what == "show" && !options->part.empty())
        throw InputError(
            "'" + options->part + "' is not allowed with show (show prints all entries). Omit it, or use clear.", true);
      on_root(world, [&] { options->what == "show" ? show() : clear(options->part); });
      return 0;
    };
  });
}

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
void add_all(CLI::App& weft, command_line::Action& action, const std::string& asked) {
  for (const auto& command : command_line::commands()) {
    const auto program = program_of(command);
#if defined(WEFT_ONE_LIBRARY)  // the Python package, whose launcher runs the commands
    const bool there = true;
#else
    const bool there = fs::exists(program);
#endif
    if (!there && command.name != asked) continue;
    auto* added = weft.add_subcommand(std::string(command.name), std::string(command.about));
    added->group(std::string(command.group))->allow_extras()->callback([&action, command, program, there] {
      action = [=](mpi::Communicator&) -> int {
        throw InputError(
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
  add_tune(weft, action);
  command_line::explain(weft, {"weft flow --help", "mpirun -n 4 weft flow examples/aneurysm/case.toml"},
                        "docs/README.md");
}

}  // namespace
}  // namespace weft::cli

int main(int argc, char** argv) {
  using namespace weft::cli;
  const std::string asked = argc > 1 ? argv[1] : "";
  const auto all = weft::command_line::commands();
  const auto command = std::ranges::find(all, asked, &Command::name);
  if (command != all.end()) become(*command, argc, argv);
  return weft::command_line::run_commands(argc, argv,
                                          [&](CLI::App& weft, auto& action) { add_all(weft, action, asked); });
}
