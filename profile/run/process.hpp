// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::run {

using Words = std::vector<std::string>;

/// How a process ended.
struct Ending {
  int status = 0;            ///< exit status; 128 + signal if a signal ended it, as in shells
  int signal = 0;            ///< 0: none
  bool interrupted = false;  ///< this process received a signal that requests termination
};

/// This process's variables, as NAME=value, replaced or extended by those of `changes`.
Words environment(const Words& changes);

/// Makes this process survive closed streams and readers that exit; call it first. Child processes get the original
/// streams and SIGPIPE action.
void outlive_streams();

/// Runs a command with this process's standard streams and waits for it. Passes INT, TERM, HUP, QUIT, USR1 and USR2 on,
/// but not signals of the terminal, which reach the command anyway. Throws an InputError if it can't be started.
Ending run(const Words& command, const Words& environment);

/// The output of a command on both streams. It is killed after so many seconds; nothing if it was killed or can't be
/// started. Its input is empty.
std::optional<std::string> output_of(const Words& command, const Words& environment, double seconds);

/// The same, without the error stream. Nothing also if its exit status is not 0.
std::optional<std::string> result_of(const Words& command, const Words& environment, double seconds);

/// Prints a line on stderr. A failure is ignored, since the exit status is the launcher's.
void say(std::string_view what);

/// Prints the reason why nothing is run.
void say_error(std::string_view what);

}  // namespace weft::run
