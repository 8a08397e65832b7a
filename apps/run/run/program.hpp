// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "run/launcher.hpp"

namespace weft::run {

/// What is started together, of a launcher's words: all of them, or what is between two of its colons.
struct Part {
  std::size_t begin, end;
  std::size_t program;  ///< its word; `end` if none was found
};

/// As well as that can be told: the first word of each part that is an executable file and no value of an option.
std::vector<Part> parts_of(const Words& command, const Launcher& launcher);

/// Why a program can't be watched; empty if it can, or if nothing can be told (a script, an interpreter).
struct Obstacle {
  std::string why;
  bool certain = true;  ///< false: it might still be watched
};
Obstacle obstacle_of(const std::string& program);

}  // namespace weft::run
