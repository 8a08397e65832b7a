// SPDX-License-Identifier: BSD-3-Clause
//
// The library command_line: what the command lines of weft's programs share. A command is a program of its own: `weft
// flow` runs weft-flow, which lies beside weft. Here are the commands' names, how they read their words (CLI11) and
// end, the option --tune, and a wait for a person at rank 0.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/mpi/communicator.hpp"

namespace CLI {
class App;
}

namespace weft::command_line {

struct Command {
  std::string_view name, about;
};

/// Every command but those that `weft` does itself, in the order in which its help lists them.
std::span<const Command> commands();

/// What the command of this name is for, in one line; it has to be one of commands().
const char* about(std::string_view name);

/// What a command does once its options are read: on all ranks, together; returns the exit status.
using Action = std::function<int(mpi::Communicator&)>;

/// Ends the help of a command with examples (lines to type) and its page of the documentation, as "docs/flow.md".
void explain(CLI::App& command, const std::vector<std::string>& examples, std::string_view page);

/// Adds a command to the program `weft`, and sets `action` when it is chosen.
using AddCommand = std::function<void(CLI::App& weft, Action& action)>;

/// A whole program: starts MPI, reads the words as `weft` would, does what they say. What is wrong with them is one
/// line of rank 0, status 2.
int run_commands(int argc, char** argv, const AddCommand& add);

/// The same for the program of one command, whose words do not name it: `weft-flow CASE` does what `weft flow CASE`
/// does.
int run_command(int argc, char** argv, const char* name, const AddCommand& add);

}  // namespace weft::command_line
