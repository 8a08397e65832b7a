// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "run/process.hpp"

namespace weft::run {

/// How variables are handed to the processes of a job.
enum class Kind { openmpi, hydra, slurm, none };

/// What starts the ranks, among the words of a command.
struct Launcher {
  Kind kind = Kind::none;
  std::size_t at = 0;    ///< its word; for none: where the program is looked for
  bool unknown = false;  ///< it has the name of a launcher, but says nothing that is known
};

/// By what a launcher says to --version.
Kind kind_of(std::string_view version);

/// Of a command, which may begin with env, timeout and their like.
Launcher find_launcher(const Words& command);

/// How many words behind an option of the launcher are its values.
std::size_t values_of(Kind kind, const std::string& option);

}  // namespace weft::run
