// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "run/launcher.hpp"

namespace weft::run {

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
