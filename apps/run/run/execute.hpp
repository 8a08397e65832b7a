// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "run/launcher.hpp"

namespace weft::run {

/// How a command ended.
struct Ending {
  int status = 0;  ///< as a shell has it: 128 + n for signal n
  int signal = 0;  ///< 0: none
};

/// Runs a command with our input and outputs, and these variables added to our own. Signals that ask us to end go on to
/// it. Throws InputError if it can't be started.
Ending execute(const Words& words, const Variables& variables);

/// What a command prints, on both outputs, in so many seconds; empty if it can't be run.
std::string output_of(const Words& words, double seconds, const Variables& variables = {});

/// The file that a command's first word means; empty if there is none that can be run.
std::string path_of(const std::string& word);

}  // namespace weft::run
