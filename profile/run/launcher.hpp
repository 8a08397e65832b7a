// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace weft::run
