// SPDX-License-Identifier: BSD-3-Clause
//
// The library command_line: the command lines of weft's programs. A command is a program of its own: `weft flow` runs
// weft-flow, which lies beside weft. This library has the names of the commands, the parsing of their arguments
// (CLI11), their exit status, and common options such as --tune.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/mpi/communicator.hpp"
#include "weft/transport/transport.hpp"

namespace CLI {
class App;
}

namespace weft::command_line {

struct Command {
  std::string_view name, group, about;
};

/// All commands except those that `weft` itself executes, in the order of its help.
std::span<const Command> commands();

/// The sentence that describes a command. `name` must be one of commands().
const char* about(std::string_view name);

/// A command's action after its options are parsed: called on all ranks; returns the exit status.
struct Action : std::function<int(mpi::Communicator&)> {
  using function::function;
  using function::operator=;
  /// The same for a process without a launcher, which then need not start MPI; empty: it needs MPI.
  std::function<int(Transport&)> alone{};
  unsigned threads = 1;  ///< its ranks
};

/// Ends the help of a command with examples (lines to type) and its page of the documentation, for example
/// "docs/flow.md", and wraps the descriptions of its options. Call it after the options are added.
void explain(CLI::App& command, const std::vector<std::string>& examples, std::string_view page);

/// Adds a command to the program `weft`. The command sets `action` when it is selected.
using AddCommand = std::function<void(CLI::App& weft, Action& action)>;

/// A whole program: parses the arguments as `weft` would, starts MPI, and runs the selected action. For wrong arguments
/// rank 0 prints one line, and the exit status is 2. Without a launcher, help, wrong arguments and Action::alone need
/// no MPI.
int run_commands(int argc, char** argv, const AddCommand& add);

/// The same for the program of one command, whose arguments do not contain its name: `weft-flow CASE` does the same as
/// `weft flow CASE`.
int run_command(int argc, char** argv, const char* name, const AddCommand& add);

/// The word as it can be pasted into a shell: unchanged if it has only letters, digits and _@%+=:,./-, else in single
/// quotes. For all commands that a program suggests.
std::string shell_word(std::string_view word);

}  // namespace weft::command_line
