// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/command.hpp"

#include <weft_version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "weft/error.hpp"
#include "weft/file/unfinished.hpp"
#include "weft/mpi/main.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::command_line {
namespace {

constexpr std::array all{
    Command{"flow", "Simulate", "Simulates blood flow in a vessel that is given by its surface (lattice Boltzmann)."},
    Command{"box", "Simulate", "Simulates a fluid with solid particles in a box (lattice Boltzmann)."},
    Command{"wave", "Simulate", "Simulates waves in a box with adaptive mesh refinement."},
    Command{"run", "Measure", "Runs any MPI program and reports how much of its communication is overlapped."},
    Command{"history", "Measure", "Shows on a page how the overlap of a program changed from commit to commit."},
    Command{"testbed", "Measure", "Runs MPI programs on an emulated network of this machine."},
    Command{"bench", "Measure", "Runs weft's benchmarks."},
    Command{"predict", "Measure", "Predicts the time per step on other numbers of ranks from short runs."},
    Command{"doctor", "Tune", "Checks the MPI libraries of this machine and recommends settings."},
    Command{"openings", "Files", "Finds the openings of a vessel's surface and writes a case for weft flow."},
    Command{"import", "Files", "Converts a HemeLB case to a case for weft flow."},
    Command{"fft", "Files", "Computes the 3-D Fourier transform of a field in a file, or its energy spectrum."},
    Command{"pack", "Files", "Compresses files in parallel to one zstd, bzip2, gzip or xz file."},
    Command{"unpack", "Files", "Decompresses a zstd, bzip2, gzip or xz file, or a range of it, in parallel."},
};

// The text in lines of at most 88 letters, broken at blanks.
std::string wrapped(const std::string& text) {
  constexpr std::size_t longest = 88;
  std::string result;
  std::size_t length = 0;  // of the last line
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool breaks = length > 0 && length + 1 + word.size() > longest;
    if (length > 0) result += breaks ? '\n' : ' ';
    length = (breaks || length == 0 ? 0 : length + 1) + word.size();
    result += word;
  }
  return result;
}

// An unset variable of the shell (--out "$OUT") is an empty argument, which would be taken for the default.
void refuse_empty(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    const bool is_cut = word.starts_with("--") && !word.empty() && word.find('=') == word.size() - 1;
    if (!word.empty() && !is_cut) continue;
    const std::string where =
        is_cut ? std::string(word.substr(0, word.size() - 1)) : "the one after " + std::string(argv[k - 1]);
    throw InputError("An argument is empty (" + where + "). Give a value, or omit the option.", true);
  }
}

// A file named "-" would hardly be wanted, and the standard output has the report. (pack and unpack can use pipes.)
void refuse_dash(CLI::App& command) {
  for (auto* below : command.get_subcommands(nullptr)) refuse_dash(*below);
  if (command.get_name().find("pack") != std::string::npos) return;
  for (const auto* name : {"--json", "--trace", "--out", "--output", "--spectrum", "--write", "--picture"})
    if (auto* option = command.get_option_no_throw(name))
      option->check([](const std::string& text) {
        return text == "-"
                   ? std::string("'-' is no file name (the standard output has the report; /dev/stdout adds to it)")
                   : std::string();
      });
}

// The selected command, as it is typed: "weft bench core".
std::string selected(const CLI::App& weft) {
  std::string name = weft.get_name();
  const auto* command = &weft;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  return name;
}

}  // namespace

std::span<const Command> commands() { return all; }

const char* about(std::string_view name) {
  const auto found = std::ranges::find(all, name, &Command::name);
  if (found == all.end()) throw std::logic_error("There is no command '" + std::string(name) + "'.");
  return found->about.data();  // of a string literal
}

void explain(CLI::App& command, const std::vector<std::string>& examples, std::string_view page) {
  for (auto* option : command.get_options()) option->description(wrapped(option->get_description()));
  std::string text = "Examples:\n";
  for (const auto& example : examples) text += "  " + example + "\n";
  command.footer(text + "\nDocumentation: " + std::string(page));
}

namespace {

// Whether a launcher has started this process, perhaps beside others: then one of them prints.
bool has_launcher() {
  constexpr std::array names{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK",  "PMI_RANK", "PMI_SIZE",
                             "SLURM_PROCID",         "ALPS_APP_PE"};
  return std::ranges::any_of(names, [](const char* name) { return std::getenv(name) != nullptr; });
}

// What the words mean; empty: help or the version, which it prints. Throws an InputError.
Action chosen(int argc, char** argv, const AddCommand& add, bool prints) {
  const auto weft = std::make_shared<CLI::App>(
      "weft runs, measures and tunes MPI programs that overlap communication with computation.\nStart it with mpirun "
      "-n RANKS; without mpirun it runs on one rank.",
      "weft");
  weft->require_subcommand(0, 1);  // a missing one is refused below, so that an unknown one is named first
  weft->set_version_flag("--version", WEFT_VERSION);
  weft->failure_message([](const CLI::App* app, const CLI::Error& e) {
    return std::string(e.what()) + " (see " + (app->get_parent() ? "weft " : "") + app->get_name() + " --help)";
  });
  Action action;
  add(*weft, action);
  refuse_dash(*weft);
  refuse_empty(argc, argv);
  try {
    weft->parse(argc, argv);
  } catch (const CLI::Success& e) {
    if (prints) weft->exit(e);
    return {};
  } catch (const CLI::ParseError& e) {
    throw InputError(std::string(e.what()) + ". See " + selected(*weft) + " --help.", true);
  }
  if (!action) {
    if (prints) std::fputs(weft->help().c_str(), stdout);
    throw InputError("No command is given. Give one of those above.", true);
  }
  Action kept = [weft, action](mpi::Communicator& world) { return action(world); };
  kept.alone = action.alone;
  kept.threads = action.threads;
  return kept;
}

// As weft::main(), without MPI.
int run_alone(const Action& action) {
  std::atomic<int> status = 1;  // the same on all ranks
  try {
    run_in_process(static_cast<int>(action.threads), [&](Transport& alone) { status = action.alone(alone); });
  } catch (const std::exception& e) {
    status = dynamic_cast<const InputError*>(&e) != nullptr ? 2 : 1;
    std::fflush(stdout);
    std::fprintf(stderr, "error: %s\n", e.what());
  }
  return status;
}

}  // namespace

int run_commands(int argc, char** argv, const AddCommand& add) {
  Action action;
  if (!has_launcher()) try {  // MPI takes a quarter of a second to start
      action = chosen(argc, argv, add, true);
      if (!action) return 0;
    } catch (const InputError& e) {
      std::fflush(stdout);
      std::fprintf(stderr, "error: %s\n", e.what());
      return 2;
    } catch (const std::exception&) {  // weft::main() reports it
    }
  remove_unfinished_files();
  if (action.alone) return run_alone(action);
  return weft::main(argc, argv, [&](mpi::Communicator& world) {
    if (!action) action = chosen(argc, argv, add, world.rank() == 0);
    return action ? action(world) : 0;
  });
}

int run_command(int argc, char** argv, const char* name, const AddCommand& add) {
  std::string command = name;  // read only, but argv has char*
  std::vector<char*> words(argv, argv + argc);
  words.insert(words.begin() + (words.empty() ? 0 : 1), command.data());
  words.push_back(nullptr);
  return run_commands(static_cast<int>(words.size()) - 1, words.data(), add);
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace weft::command_line
