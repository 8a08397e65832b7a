// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weft::run {

using Words = std::vector<std::string>;

/// How a process ended.
struct Ending {
  int status = 0;            ///< of exit; 128 + signal if a signal ended it, as shells have it
  int signal = 0;            ///< 0: none
  bool interrupted = false;  ///< a signal came that asked for the end, by the terminal or from elsewhere
};

/// This process's variables, as NAME=value; those of `changes` (the same form) replace them or are added.
Words environment(const Words& changes);

/// Closed streams, and readers that have gone, don't end this process: to be called first. What it starts has its
/// streams, and SIGPIPE, as they were.
void outlive_streams();

/// Runs a command with this process's standard streams and waits for it. INT, TERM, HUP, QUIT, USR1 and USR2 that come
/// meanwhile are passed on, but not those of the terminal, which go to all of its processes anyway. Throws InputError
/// if it can't be started.
Ending run(const Words& command, const Words& environment);

/// What a command prints on both streams, for at most so many seconds, then it is killed; nothing if it can't be
/// started or was killed. Its input is empty.
std::optional<std::string> output_of(const Words& command, const Words& environment, double seconds);

}  // namespace weft::run
