// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "run/launcher.hpp"

namespace weft::run {

/// A command and the environment that it is started with.
struct Start {
  Words command, environment;
};

/// The same command, changed so that all of its processes get `variables` (NAME=value) and the library. A LD_PRELOAD of
/// the command itself stays in front of the library. Throws an InputError if a value can't be passed.
Start with_variables(Words command, const Launcher& launcher, const Words& variables, const std::string& library);

}  // namespace weft::run
