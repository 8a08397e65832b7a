// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/process.hpp"

namespace weft::run {

/// How variables are passed to the processes of a job.
enum class Kind { openmpi, hydra, slurm, none };

/// The word of a command that starts the ranks.
struct Launcher {
  Kind kind = Kind::none;
  std::size_t at = 0;    ///< index of its word; for none: where to look for the program
  bool unknown = false;  ///< it has a launcher's name, but its version is not known
};

/// The kind of launcher, from the output of --version.
Kind kind_of(std::string_view version);

/// The launcher of a command, which may begin with env, timeout or similar.
Launcher find_launcher(const Words& command);

/// Number of words after an option of the launcher that are its values.
std::size_t values_of(Kind kind, const std::string& option);

/// One application of a launcher's command line: all of its words, or those between two colons.
struct Part {
  std::size_t begin, end;
  std::size_t program;  ///< index of the program's word; `end` if none was found
};

/// The program is guessed: the first word of each part that is an executable file and not the value of an option.
std::vector<Part> parts_of(const Words& command, const Launcher& launcher);

/// Why a program can't be recorded; empty if it can, or if that is not known (a script, an interpreter).
struct Obstacle {
  std::string why;
  bool certain = true;  ///< false: it might still be recorded
};
Obstacle obstacle_of(const std::string& program);

}  // namespace weft::run
